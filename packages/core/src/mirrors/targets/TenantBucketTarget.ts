/**
 * A bucket of another tenant of this deployment as a mirror's target. It is written through the services that everybody uses,
 * under the rights of the key that the mirror was given, so that roles, limits and revocation hold.
 *
 * What is the same already is not written, so that mirrors that face each other come to rest. Headers and metadata are copied as
 * they are; aliases are not copied, and conversions are the target's own.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Digest } from "effect/crypto/Digest"
import * as Stream from "effect/Stream"
import { Access } from "../../access/Access.ts"
import * as ApiKey from "../../access/ApiKey.ts"
import type { Files } from "../../files/Files.ts"
import { Uploads } from "../../files/Uploads.ts"
import type { Headers } from "../../headers/Headers.ts"
import * as TransferableChunks from "../../storage/TransferableChunks.ts"
import type { CopyTarget } from "./CopyTarget.ts"
import { MirrorTargetError } from "./MirrorTargetError.ts"
import * as TenantBucketFiles from "./TenantBucketFiles.ts"
import { orSource, type ServiceError, type SourceFault, toTargetError } from "./TenantBucketErrors.ts"
import type { TenantBucketLocation } from "./types/TenantBucketTargetType.ts"

const targeted =
  (operation: string) =>
  <A, R>(self: Effect.Effect<A, ServiceError, R>): Effect.Effect<A, MirrorTargetError, R> =>
    Effect.mapError(self, toTargetError(operation))

const asFault = <E>(error: E): SourceFault<E> => ({ _tag: "SourceFault", error })

/** Opens buckets of this deployment. */
export const make = Effect.gen(function* () {
  const access = yield* Access
  const digest = yield* Digest
  const uploads = yield* Uploads
  const services = yield* Effect.context<Files | Headers>()

  return Effect.fnUntraced(function* (location: TenantBucketLocation) {
    const bucket = { tenantId: location.serviceTenantId, bucketId: location.serviceBucketId }
    const actor = yield* ApiKey.identify(Redacted.value(location.apiKey)).pipe(
      Effect.provideService(Digest, digest),
      targeted("open")
    )
    const files = yield* Effect.provide(TenantBucketFiles.make(actor, bucket), services)

    const target: CopyTarget = {
      hasCheckObject: false,

      check: Effect.gen(function* () {
        yield* access.require(actor, bucket.tenantId, "file:write")
        yield* files.find(".holdfast-check")
      }).pipe(targeted("check")),

      write: (object, content) =>
        Effect.gen(function* () {
          const found = yield* files.find(object.name)
          const { headers, metadata } = object.file
          const source = Stream.mapError(Stream.map(content, kept), asFault)
          const announced = {
            length: object.size,
            sha256: object.sha256,
            contentType: object.file.content.contentType
          }
          const description = Effect.succeed({ ...TenantBucketFiles.placeOf(object.name), headers, metadata })
          const written =
            found === undefined
              ? yield* uploads.upload(actor, bucket, source, description, announced)
              : TenantBucketFiles.hasContent(found, object)
                ? found
                : yield* uploads.reupload(actor, files.refOf(found), source, announced)
          return { tag: TenantBucketFiles.tagOf(yield* files.align(written, object)) }
        }).pipe(Effect.mapError(orSource("write"))),

      describe: (object) =>
        Effect.gen(function* () {
          const found = yield* files.find(object.name)
          if (found === undefined || !TenantBucketFiles.hasContent(found, object)) return undefined
          return { tag: TenantBucketFiles.tagOf(yield* files.align(found, object)) }
        }).pipe(
          targeted("describe"),
          Effect.flatMap((receipt) => (receipt === undefined ? missing : Effect.succeed(receipt)))
        ),

      remove: (name) => files.remove(name).pipe(targeted("remove")),

      list: Stream.mapError(files.list, toTargetError("list"))
    }
    return target
  })
})

/** A chunk for a store, which may want it longer than until the next one is pulled. */
const kept = (chunk: Uint8Array): Uint8Array => {
  const copy = new Uint8Array(chunk)
  TransferableChunks.markTransferable(copy)
  return copy
}

const missing = Effect.fail(
  new MirrorTargetError({ reason: "NotFound", operation: "describe", detail: "There is no such object." })
)
