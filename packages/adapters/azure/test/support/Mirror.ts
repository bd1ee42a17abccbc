/**
 * Mirrors' targets in fresh containers of Azurite, and what another client reads there.
 */
import { RestError } from "@azure/storage-blob"
import { MirrorTargets } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { AzureBlobLocation } from "@holdfast/core/mirrors/targets/types/AzureBlobTargetType"
import * as MirrorSubject from "@holdfast/testing/mirrors/MirrorSubject"
import * as Azurite from "@holdfast/testing/servers/Azurite"
import { freePort } from "@holdfast/testing/servers/FreePort"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as AzureMirrorTarget from "../../src/AzureMirrorTarget.ts"
import type * as AzureOptions from "../../src/AzureOptions.ts"
import * as Container from "./Container.ts"

export const options: AzureOptions.MirrorOptions = { allowPrivate: true, blockBytes: 1024 * 1024, maxAttempts: 2 }

/** A container of the server as a location. */
export const location = ({ container, ...account }: Container.TestOptions): AzureBlobLocation => ({
  type: "AZURE_BLOB",
  containerName: container,
  ...account
})

/** The targets of a deployment that has those of Azure alone. */
export const targets = Layer.succeed(
  MirrorTargets,
  MirrorTargets.of({ open: { AZURE_BLOB: AzureMirrorTarget.open(options) } })
)

/** Azure knows no hyphens in names of metadata. */
const spelt = (metadata: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name.replaceAll("_", "-"), value]))

/** What stands under a name, read by another client. */
const readBack = (options: Container.TestOptions) => (name: string) =>
  Effect.promise(async (): Promise<Option.Option<MirrorSubject.ReadBack>> => {
    const blob = Container.client(options).getBlobClient(name)
    try {
      const found = await blob.getProperties()
      const bytes = await blob.downloadToBuffer()
      return Option.some({
        bytes,
        description: {
          contentType: found.contentType ?? "",
          cacheControl: found.cacheControl,
          contentDisposition: found.contentDisposition,
          contentEncoding: found.contentEncoding,
          contentLanguage: found.contentLanguage,
          metadata: spelt(found.metadata)
        }
      })
    } catch (error) {
      if (error instanceof RestError && error.statusCode === 404) return Option.none()
      throw error
    }
  })

/** A target in a container of its own, and what is needed to look at that. */
export const fresh = Effect.gen(function* () {
  const container = yield* Container.options
  const target = yield* AzureMirrorTarget.open(options)(location(container))
  return { container, target, readBack: readBack(container) }
})

/** What the contract suite is run on. */
export const subject = Layer.effect(
  MirrorSubject.MirrorSubject,
  Effect.gen(function* () {
    const server = yield* Azurite.Azurite
    const right = location(yield* Container.options)
    const wrong = { ...right, accountKey: Redacted.make(Buffer.from("a key of nobody").toString("base64")) }
    const closed = { ...right, endpoint: `http://127.0.0.1:${yield* freePort}/${server.accountName}` }
    const open = AzureMirrorTarget.open(options)
    return {
      fresh: Effect.provideService(fresh, Azurite.Azurite, server),
      broken: {
        wrongCredentials: open(wrong),
        missingBucket: open({ ...right, containerName: "nobodys" }),
        closedPort: open(closed),
        privateAddress: AzureMirrorTarget.open({ ...options, allowPrivate: false })(right)
      },
      secrets: [server.accountKey, wrong.accountKey].map(Redacted.value)
    }
  })
).pipe(Layer.provide(Azurite.layer))
