import { ContainerSASPermissions } from "@azure/storage-blob"
import * as MirrorComparison from "@holdfast/testing/mirrors/MirrorComparison"
import * as Rclone from "@holdfast/testing/mirrors/Rclone"
import { firstMissing, requires } from "@holdfast/testing/Requires"
import * as Azurite from "@holdfast/testing/servers/Azurite"
import * as Effect from "effect/Effect"
import * as Container from "./support/Container.ts"
import * as Mirror from "./support/Mirror.ts"

/** An address that permits reading for an hour: rclone takes no other endpoint than Azure's own with a key. */
const addressOf = (container: Container.TestOptions) =>
  Effect.promise(() =>
    Container.client(container).generateSasUrl({
      permissions: ContainerSASPermissions.parse("rl"),
      expiresOn: new Date(Date.now() + 3_600_000)
    })
  )

const site = Effect.gen(function* () {
  const { container, readBack } = yield* Mirror.fresh
  const options = { type: "azureblob", sas_url: yield* addressOf(container) }
  return {
    mirror: { name: "A mirror", ...Mirror.location(container) },
    readBack,
    remote: { path: container.container, options }
  } satisfies MirrorComparison.ComparisonTarget
})

requires(firstMissing(Azurite.missing, Rclone.missing)).describe("a mirror to Azure", () =>
  MirrorComparison.suite("Azurite", Mirror.targets, site, Azurite.layer)
)
