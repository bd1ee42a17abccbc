/**
 * Mirror targets in fresh containers of Azurite, and what another client reads from them.
 */
import { RestError } from "@azure/storage-blob"
import { MirrorTargets } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { AzureBlobLocation } from "@holdfast/core/mirrors/targets/types/AzureBlobTargetType"
import * as MirrorSubject from "@holdfast/testing/mirrors/MirrorSubject"
import * as Azurite from "@holdfast/testing/servers/Azurite"
import { closedPort } from "@holdfast/testing/servers/FreePort"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as AzureMirrorTarget from "../../src/AzureMirrorTarget.ts"
import type * as AzureOptions from "../../src/AzureOptions.ts"
import * as Store from "./Store.ts"

export const options: AzureOptions.MirrorOptions = { allowPrivate: true, blockBytes: 1024 * 1024, maxAttempts: 2 }

/** Returns the location of a container of the server. */
export const locationOf = ({ container, ...account }: Store.ContainerOptions): AzureBlobLocation => ({
  type: "AZURE_BLOB",
  containerName: container,
  ...account
})

/** The targets of a deployment with Azure alone. */
export const targets = Layer.succeed(
  MirrorTargets,
  MirrorTargets.of({ open: { AZURE_BLOB: AzureMirrorTarget.open(options) } })
)

/** Restores the hyphens of metadata names, which Azure does not permit. */
const withHyphens = (metadata: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name.replaceAll("_", "-"), value]))

/** Reads an object by another client. */
const readBack = (options: Store.ContainerOptions) => (name: string) =>
  Effect.promise(async (): Promise<Option.Option<MirrorSubject.ReadBack>> => {
    const blob = Store.clientOf(options).getBlobClient(name)
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
          metadata: withHyphens(found.metadata)
        }
      })
    } catch (error) {
      if (error instanceof RestError && error.statusCode === 404) return Option.none()
      throw error
    }
  })

/** Opens a target in a fresh container. */
export const open = Effect.gen(function* () {
  const container = yield* Store.makeContainer
  const target = yield* AzureMirrorTarget.open(options)(locationOf(container))
  return { container, target, readBack: readBack(container) }
})

/** The subject of the contract suite of mirror targets. */
export const subject = Layer.effect(
  MirrorSubject.MirrorSubject,
  Effect.gen(function* () {
    const server = yield* Azurite.Azurite
    const right = locationOf(yield* Store.makeContainer)
    const wrong = { ...right, accountKey: Redacted.make(Buffer.from("another key").toString("base64")) }
    const closed = { ...right, endpoint: `http://127.0.0.1:${closedPort}/${server.accountName}` }
    const openTarget = AzureMirrorTarget.open(options)
    return {
      fresh: Effect.provideService(open, Azurite.Azurite, server),
      broken: {
        wrongCredentials: openTarget(wrong),
        missingBucket: openTarget({ ...right, containerName: "missing" }),
        closedPort: openTarget(closed),
        privateAddress: AzureMirrorTarget.open({ ...options, allowPrivate: false })(right)
      },
      secrets: [server.accountKey, wrong.accountKey].map(Redacted.value)
    }
  })
).pipe(Layer.provide(Azurite.layer))
