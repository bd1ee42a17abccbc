/**
 * A BlobStore on Azure Blob Storage, for any number of processes.
 *
 * Nothing is visible of a blob before its last byte is there, since the service has it so. When a `put` fails because the
 * service's last answer was lost, the blob may stand nevertheless, as a whole: `Sweeper` removes it in its time. A `put`
 * that fails or whose process dies may leave blocks behind, which are invisible: the service drops them after a week.
 */
import type * as BlobError from "@holdfast/core/storage/BlobError"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import * as BlobStore from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as AzureErrors from "./AzureErrors.ts"
import type * as AzureOptions from "./AzureOptions.ts"
import * as BlobObjects from "./BlobObjects.ts"
import * as BlobReading from "./BlobReading.ts"
import * as Connection from "./Connection.ts"
import * as Listing from "./Listing.ts"
import * as Upload from "./Upload.ts"

/** Opens the store; no request is made. */
export const make = (
  options: AzureOptions.Options
): Effect.Effect<BlobStore.BlobStore["Service"], BlobError.BlobError, Scope.Scope> =>
  Effect.gen(function* () {
    const { container, prefix = "" } = options
    const connection = yield* Connection.make({ ...options, account: options, container, allowPrivate: true }).pipe(
      Effect.mapError(AzureErrors.toBlobError("open"))
    )
    const place = { connection, prefix }
    const sizes = Upload.sizes(options)

    return BlobStore.BlobStore.of({
      put: (key, content) => BlobObjects.put(place, sizes, key, content),
      read: (key, options) => BlobReading.read(place, key, options?.range),
      stat: (key) => BlobObjects.stat(place, key),
      remove: (key) => BlobObjects.remove(place, key),
      // What is not ours is passed over.
      list: (keys) =>
        Listing.all(connection, prefix + keys).pipe(
          Stream.map(({ name, properties }) => ({
            key: name.slice(prefix.length),
            size: properties.contentLength ?? 0
          })),
          Stream.filter(({ key }) => BlobKey.parse(key) !== undefined),
          Stream.mapError(AzureErrors.toBlobError("list"))
        ),
      localFile: () => undefined,
      check: Effect.mapError(Listing.check(connection, prefix), AzureErrors.toBlobError("check")),
      capabilities: { name: "azure", localFiles: false, shared: true }
    })
  })

export const layer = (options: AzureOptions.Options): Layer.Layer<BlobStore.BlobStore, BlobError.BlobError> =>
  Layer.effect(BlobStore.BlobStore, make(options))
