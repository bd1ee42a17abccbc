import { ContainerSASPermissions } from "@azure/storage-blob"
import * as MirrorComparison from "@holdfast/testing/mirrors/MirrorComparison"
import * as Rclone from "@holdfast/testing/mirrors/Rclone"
import { firstMissing, requires } from "@holdfast/testing/Requires"
import * as Azurite from "@holdfast/testing/servers/Azurite"
import * as Effect from "effect/Effect"
import * as Store from "./support/Store.ts"
import * as Target from "./support/Target.ts"

/** Returns a URL that permits reading for an hour. With a key, rclone connects to Azure's own endpoint only. */
const signedUrlOf = (container: Store.ContainerOptions) =>
  Effect.promise(() =>
    Store.clientOf(container).generateSasUrl({
      permissions: ContainerSASPermissions.parse("rl"),
      expiresOn: new Date(Date.now() + 3_600_000)
    })
  )

const site = Effect.gen(function* () {
  const { container, readBack } = yield* Target.open
  const options = { type: "azureblob", sas_url: yield* signedUrlOf(container) }
  return {
    mirror: { name: "A mirror", ...Target.locationOf(container) },
    readBack,
    remote: { path: container.container, options }
  } satisfies MirrorComparison.ComparisonTarget
})

requires(firstMissing(Azurite.missing, Rclone.missing)).describe("a mirror to Azure", () =>
  MirrorComparison.suite("Azurite", Target.targets, site, Azurite.layer)
)
