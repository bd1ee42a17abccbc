/**
 * A BlobStore on Azure Blob Storage, for any number of processes.
 *
 * Azure shows nothing of a blob before its last byte has arrived. When the last answer of the service is lost, a `put`
 * fails although the whole blob is there; `Sweeper` removes it later. A `put` that fails, or whose process dies, may
 * leave blocks, which are invisible: the service drops them after a week.
 */
import type * as BlobError from "@holdfast/core/storage/BlobError"
import * as BlobStore from "@holdfast/core/storage/BlobStore"
import * as RemoteBlobStore from "@holdfast/core/storage/RemoteBlobStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as AzureErrors from "./internal/AzureErrors.ts"
import * as AzureFailure from "./internal/AzureFailure.ts"
import type * as AzureOptions from "./AzureOptions.ts"
import * as BlobObjects from "./internal/blobs/BlobObjects.ts"
import * as BlobUpload from "./internal/blobs/BlobUpload.ts"
import * as Connection from "./internal/client/Connection.ts"
import * as BlobListing from "./internal/client/BlobListing.ts"
import * as Upload from "./internal/uploads/Upload.ts"

/** Opens a store, which is closed with the scope. Makes no request. */
export const make = Effect.fnUntraced(function* (
  options: AzureOptions.Options
): Effect.fn.Return<BlobStore.BlobStore["Service"], BlobError.BlobError, Scope.Scope> {
  const { container, prefix = "" } = options
  // The operator has configured the address, which may be a private one.
  const connection = yield* Connection.make({ ...options, account: options, container, allowPrivate: true }).pipe(
    Effect.mapError(AzureErrors.toBlobError("open"))
  )
  const sizes = Upload.partSizes(options)

  return RemoteBlobStore.make<AzureFailure.AzureFailure>({
    name: "azure",
    prefix,
    requests: {
      put: (name, content) => BlobUpload.put(connection, sizes, name, content),
      head: (name) => BlobObjects.head(connection, name),
      open: (name, range) => BlobObjects.open(connection, name, range),
      remove: (name) => BlobObjects.remove(connection, name),
      list: (prefix) => BlobObjects.list(connection, prefix),
      check: BlobListing.check(connection, prefix)
    },
    isFailure: AzureFailure.isFailure,
    toError: AzureErrors.toBlobError,
    ...AzureFailure.bodyFailures
  })
})

/** The store as a layer. */
export const layer = (options: AzureOptions.Options): Layer.Layer<BlobStore.BlobStore, BlobError.BlobError> =>
  Layer.effect(BlobStore.BlobStore, make(options))
