/**
 * A BlobStore in a bucket of Google Cloud Storage, for any number of processes.
 *
 * Google shows nothing of an object before its last byte has arrived. When the last answer of the service is lost, a
 * `put` fails although the whole blob is there; `Sweeper` removes it later. A process that dies may leave an upload,
 * which is invisible: the service drops it after a week.
 */
import * as BlobError from "@holdfast/core/storage/BlobError"
import * as BlobStore from "@holdfast/core/storage/BlobStore"
import * as RemoteBlobStore from "@holdfast/core/storage/RemoteBlobStore"
import * as Endpoint from "@holdfast/outbound/Endpoint"
import * as RequestOptions from "@holdfast/outbound/RequestOptions"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as BlobObjects from "./internal/blobs/BlobObjects.ts"
import * as BlobUpload from "./internal/blobs/BlobUpload.ts"
import * as Connection from "./internal/client/Connection.ts"
import * as Objects from "./internal/client/Objects.ts"
import * as ServiceAccount from "./internal/client/ServiceAccount.ts"
import * as Tokens from "./internal/client/Tokens.ts"
import * as Transport from "./internal/client/Transport.ts"
import * as GcsErrors from "./internal/GcsErrors.ts"
import * as GcsFailure from "./internal/GcsFailure.ts"
import type * as GcsOptions from "./GcsOptions.ts"
import * as Upload from "./internal/uploads/Upload.ts"

/** Returns the value of a parsed option, or fails with the reason why the option is not valid. */
const orInvalid = <A>(result: Result.Result<A, string>): Effect.Effect<A, BlobError.BlobError> =>
  Effect.mapError(
    Effect.fromResult(result),
    (reason) => new BlobError.BlobError({ reason: "Internal", operation: "open", cause: new Error(reason) })
  )

/** Opens a store, which is closed with the scope. Makes no request. */
export const make = Effect.fnUntraced(function* (
  options: GcsOptions.Options
): Effect.fn.Return<BlobStore.BlobStore["Service"], BlobError.BlobError, Scope.Scope> {
  const { bucket, credentials, prefix = "", projectId } = options
  const limits = RequestOptions.resolve(options, RequestOptions.storeConnections)
  const maxAttempts = Math.max(1, limits.maxAttempts)
  const endpoint = yield* orInvalid(Endpoint.parse(options.endpoint ?? Connection.defaultEndpoint))
  // The operator has configured the addresses, which may be private ones.
  const transport = yield* Transport.scoped({ allowPrivate: true }, limits)
  const tokens =
    credentials === undefined
      ? yield* Tokens.ofEnvironment(endpoint)
      : Tokens.ofAccount(transport, yield* orInvalid(ServiceAccount.parse(Redacted.value(credentials))), maxAttempts)
  const connection = Connection.make({ bucket, endpoint, transport, tokens, maxAttempts, projectId })
  const partBytes = Upload.partBytes(options)

  return RemoteBlobStore.make<GcsFailure.GcsFailure>({
    name: "gcs",
    prefix,
    requests: {
      put: (name, content) => BlobUpload.put(connection, partBytes, name, content),
      head: (name) => Effect.map(Objects.get(connection, name), ({ size }) => ({ size })),
      open: (name, range) => BlobObjects.open(connection, name, range),
      remove: (name) => Objects.remove(connection, name),
      list: (prefix) => BlobObjects.list(connection, prefix),
      check: BlobObjects.check(connection, prefix)
    },
    isFailure: GcsFailure.isFailure,
    toError: GcsErrors.toBlobError,
    ...GcsFailure.bodyFailures
  })
})

/** The store as a layer. */
export const layer = (options: GcsOptions.Options): Layer.Layer<BlobStore.BlobStore, BlobError.BlobError> =>
  Layer.effect(BlobStore.BlobStore, make(options))
