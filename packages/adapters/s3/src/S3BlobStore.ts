/**
 * A BlobStore on S3 or a compatible service, for any number of processes.
 *
 * S3 shows nothing of an object before its last byte has arrived. When the last answer of the service is lost, a `put` fails although
 * the whole blob is there; `Sweeper` removes it later. A process that dies may leave parts of an upload, which are invisible but use space:
 * `StaleUploads.sweep` removes them.
 */
import type * as BlobError from "@holdfast/core/storage/BlobError"
import * as BlobStore from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as BlobObjects from "./blobs/BlobObjects.ts"
import * as BlobUpload from "./blobs/BlobUpload.ts"
import * as Configuration from "./client/Configuration.ts"
import * as Connection from "./client/Connection.ts"
import * as S3Errors from "./S3Errors.ts"
import type * as S3Options from "./S3Options.ts"
import * as Upload from "./uploads/Upload.ts"

/** Opens a store, which is closed with the scope. Makes no request. */
export const make = (
  options: S3Options.Options
): Effect.Effect<BlobStore.BlobStore["Service"], BlobError.BlobError, Scope.Scope> =>
  Effect.gen(function* () {
    const connection = yield* Connection.make(Configuration.forStore(options), options.bucket).pipe(
      Effect.mapError(S3Errors.toBlobError("open"))
    )
    const keyspace: BlobObjects.Keyspace = { connection, prefix: options.prefix ?? "" }
    const sizes = Upload.partSizes(options)

    return BlobStore.BlobStore.of({
      put: (key, content) => BlobUpload.put(keyspace, sizes, key, content),
      read: (key, options) => BlobObjects.read(keyspace, key, options?.range),
      stat: (key) => BlobObjects.stat(keyspace, key),
      remove: (key) => BlobObjects.remove(keyspace, key),
      list: (prefix) => BlobObjects.list(keyspace, prefix),
      localFile: () => undefined,
      check: BlobObjects.check(keyspace),
      capabilities: { name: "s3", localFiles: false, shared: true }
    })
  })

/** The store as a layer. */
export const layer = (options: S3Options.Options): Layer.Layer<BlobStore.BlobStore, BlobError.BlobError> =>
  Layer.effect(BlobStore.BlobStore, make(options))
