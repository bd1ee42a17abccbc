/**
 * A BlobStore on Azure Blob Storage, for any number of processes.
 *
 * Azure shows nothing of a blob before its last byte has arrived. When the last answer of the service is lost, a `put` fails although the
 * whole blob is there; `Sweeper` removes it later. A `put` that fails, or whose process dies, may leave blocks, which are invisible: the
 * service drops them after a week.
 */
import type * as BlobError from "@holdfast/core/storage/BlobError"
import * as BlobStore from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as AzureErrors from "./AzureErrors.ts"
import type * as AzureOptions from "./AzureOptions.ts"
import * as BlobObjects from "./blobs/BlobObjects.ts"
import * as BlobUpload from "./blobs/BlobUpload.ts"
import * as Connection from "./client/Connection.ts"
import * as Upload from "./uploads/Upload.ts"

/** Opens a store, which is closed with the scope. Makes no request. */
export const make = (
  options: AzureOptions.Options
): Effect.Effect<BlobStore.BlobStore["Service"], BlobError.BlobError, Scope.Scope> =>
  Effect.gen(function* () {
    const { container, prefix = "" } = options
    // The operator has configured the address, which may be a private one.
    const connection = yield* Connection.make({ ...options, account: options, container, allowPrivate: true }).pipe(
      Effect.mapError(AzureErrors.toBlobError("open"))
    )
    const keyspace: BlobObjects.Keyspace = { connection, prefix }
    const sizes = Upload.partSizes(options)

    return BlobStore.BlobStore.of({
      put: (key, content) => BlobUpload.put(keyspace, sizes, key, content),
      read: (key, options) => BlobObjects.read(keyspace, key, options?.range),
      stat: (key) => BlobObjects.stat(keyspace, key),
      remove: (key) => BlobObjects.remove(keyspace, key),
      list: (prefix) => BlobObjects.list(keyspace, prefix),
      localFile: () => undefined,
      check: BlobObjects.check(keyspace),
      capabilities: { name: "azure", localFiles: false, shared: true }
    })
  })

/** The store as a layer. */
export const layer = (options: AzureOptions.Options): Layer.Layer<BlobStore.BlobStore, BlobError.BlobError> =>
  Layer.effect(BlobStore.BlobStore, make(options))
