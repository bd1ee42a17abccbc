/**
 * A BlobStore on S3 or a compatible service, for any number of processes.
 *
 * S3 shows nothing of an object before its last byte has arrived. When the last answer of the service is lost, a `put`
 * fails although the whole blob is there; `Sweeper` removes it later. A process that dies may leave parts of an upload,
 * which are invisible but use space: `StaleUploads.sweep` removes them.
 */
import type * as BlobError from "@holdfast/core/storage/BlobError"
import * as BlobStore from "@holdfast/core/storage/BlobStore"
import * as RemoteBlobStore from "@holdfast/core/storage/RemoteBlobStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as BlobObjects from "./internal/blobs/BlobObjects.ts"
import * as BlobUpload from "./internal/blobs/BlobUpload.ts"
import * as Configuration from "./internal/client/Configuration.ts"
import * as Connection from "./internal/client/Connection.ts"
import * as S3Errors from "./internal/S3Errors.ts"
import * as S3Failure from "./internal/S3Failure.ts"
import type * as S3Options from "./S3Options.ts"
import * as Upload from "./internal/uploads/Upload.ts"

/** Opens a store, which is closed with the scope. Makes no request. */
export const make = Effect.fnUntraced(function* (
  options: S3Options.Options
): Effect.fn.Return<BlobStore.BlobStore["Service"], BlobError.BlobError, Scope.Scope> {
  const connection = yield* Connection.make(Configuration.forStore(options), options.bucket).pipe(
    Effect.mapError(S3Errors.toBlobError("open"))
  )
  const sizes = Upload.partSizes(options)

  return RemoteBlobStore.make<S3Failure.S3Failure>({
    name: "s3",
    prefix: options.prefix ?? "",
    requests: {
      put: (name, content) => BlobUpload.put(connection, sizes, name, content),
      head: (name) => BlobObjects.head(connection, name),
      open: (name, range) => BlobObjects.open(connection, name, range),
      remove: (name) => BlobObjects.remove(connection, name),
      list: (prefix) => BlobObjects.list(connection, prefix),
      check: BlobObjects.check(connection)
    },
    isFailure: S3Failure.isFailure,
    toError: S3Errors.toBlobError,
    ...S3Failure.bodyFailures
  })
})

/** The store as a layer. */
export const layer = (options: S3Options.Options): Layer.Layer<BlobStore.BlobStore, BlobError.BlobError> =>
  Layer.effect(BlobStore.BlobStore, make(options))
