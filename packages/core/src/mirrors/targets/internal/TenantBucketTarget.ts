/**
 * A bucket of another tenant of this deployment as the target of a mirror. The target calls the same services as every client,
 * as the actor of the mirror's API key, so that roles, limits and revocation of that tenant apply.
 *
 * A file that is up to date is not written again: otherwise two mirrors that lead to each other's source would never stop. Headers
 * and metadata are copied unchanged, except for stored headers whose names are refused now: the target's services would refuse
 * them, and the file would never be copied. Aliases are not copied, and the target has its own conversions.
 */
import { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { Access } from "../../../access/Access.ts"
import * as ApiKey from "../../../access/ApiKey.ts"
import { NotFound } from "../../../Errors.ts"
import { Downloads } from "../../../files/Downloads.ts"
import type { Files } from "../../../files/Files.ts"
import * as Header from "../../../files/Header.ts"
import { Uploads } from "../../../files/Uploads.ts"
import type { Headers } from "../../../headers/Headers.ts"
import * as TransferableChunks from "../../../storage/TransferableChunks.ts"
import type { CopiedObject, CopyTarget } from "../CopyTarget.ts"
import { MirrorTargetError } from "../MirrorTargetError.ts"
import { type ServiceError, type SourceFault, toTargetError, toTargetOrSourceError } from "./TenantBucketErrors.ts"
import * as TenantBucketFiles from "./TenantBucketFiles.ts"
import type { TenantBucketLocation } from "../types/internal/TenantBucketTargetType.ts"

const mapServiceError =
  (operation: string) =>
  <A, R>(self: Effect.Effect<A, ServiceError, R>): Effect.Effect<A, MirrorTargetError, R> =>
    Effect.mapError(self, toTargetError(operation))

const toSourceFault = <E>(error: E): SourceFault<E> => ({ _tag: "SourceFault", error })

/** Copies a chunk: the source reuses its memory for the next chunk, while the blob store may still need this one. */
const copyChunk = (chunk: Uint8Array): Uint8Array => {
  const copy = new Uint8Array(chunk)
  TransferableChunks.markTransferable(copy)
  return copy
}

const notFound = new MirrorTargetError({
  reason: "NotFound",
  operation: "describe",
  detail: "The file does not exist, or it has another content."
})

const fromHere = new MirrorTargetError({
  reason: "Loop",
  operation: "write",
  detail: "The file came from the target over mirrors."
})

/** Returns a function that opens buckets of this deployment. */
export const make = Effect.gen(function* () {
  const access = yield* Access
  const digest = yield* Digest
  const uploads = yield* Uploads
  const downloads = yield* Downloads
  const services = yield* Effect.context<Files | Headers>()

  return Effect.fnUntraced(function* (location: TenantBucketLocation) {
    const bucket = { tenantId: location.serviceTenantId, bucketId: location.serviceBucketId }
    const actor = yield* ApiKey.identify(Redacted.value(location.apiKey)).pipe(
      Effect.provideService(Digest, digest),
      mapServiceError("open")
    )
    const files = yield* Effect.provide(TenantBucketFiles.make(actor, bucket), services)

    /** Refuses a copy that came from the bucket, as the S3 API does. */
    const unlessFromHere = <A, E, R>({ formerBucketIds = [] }: CopiedObject, self: Effect.Effect<A, E, R>) =>
      Effect.suspend((): Effect.Effect<A, E | MirrorTargetError, R> =>
        formerBucketIds.includes(bucket.bucketId) ? Effect.fail(fromHere) : self
      )

    const target: CopyTarget = {
      hasCheckObject: false,

      // Writes nothing: requires the permission to write everywhere in the bucket, and looks up a file, which fails for a missing bucket.
      check: Effect.gen(function* () {
        yield* access.require(actor, { ...bucket, path: "/" }, "file:write")
        yield* files.find(".holdfast-check")
      }).pipe(mapServiceError("check")),

      write: Effect.fnUntraced(
        function* (object, content) {
          const found = yield* files.find(object.name)
          const { metadata } = object.file
          const headers = Header.sent(object.file.headers)
          const source = Stream.mapError(Stream.map(content, copyChunk), toSourceFault)
          const declared = {
            length: object.size,
            sha256: object.sha256,
            contentType: object.file.content.contentType,
            allowsMarker: TenantBucketFiles.isMarker(object.name)
          }
          const description = Effect.succeed({ ...TenantBucketFiles.toPathAndName(object.name), headers, metadata })
          const written =
            found === undefined
              ? // The actor is an API key, not a share.
                yield* Effect.catchTag(
                  uploads.upload(actor, bucket, source, description, declared),
                  "ShareExhausted",
                  Effect.die
                )
              : TenantBucketFiles.hasContent(found, object)
                ? found
                : yield* uploads.reupload(actor, files.refOf(found), source, declared)
          return { tag: TenantBucketFiles.toTag(yield* files.updateDescription(written, object)) }
        },
        Effect.mapError(toTargetOrSourceError("write")),
        (self, object) => unlessFromHere(object, self)
      ),

      describe: (object) =>
        unlessFromHere(object, files.find(object.name).pipe(mapServiceError("describe"))).pipe(
          Effect.flatMap((found) =>
            found === undefined || !TenantBucketFiles.hasContent(found, object)
              ? Effect.fail(notFound)
              : files.updateDescription(found, object).pipe(mapServiceError("describe"))
          ),
          Effect.map((file) => ({ tag: TenantBucketFiles.toTag(file) }))
        ),

      remove: (name) => files.remove(name).pipe(mapServiceError("remove")),

      read: (name) =>
        files.find(name).pipe(
          Effect.flatMap((found) =>
            found === undefined
              ? Effect.fail(new NotFound({ resource: "file" }))
              : downloads.open(actor, files.refOf(found))
          ),
          Effect.map(({ read }) => read()),
          Stream.unwrap,
          Stream.mapError(toTargetError("read"))
        ),

      list: Stream.mapError(files.list, toTargetError("list"))
    }
    return target
  })
})
