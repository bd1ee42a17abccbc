/**
 * A BlobStore in a bucket of Google Cloud Storage. It may be used by any number of processes, and holds no files of this
 * machine.
 */
import * as BlobError from "@holdfast/core/storage/BlobError"
import * as BlobStore from "@holdfast/core/storage/BlobStore"
import * as Endpoint from "@holdfast/outbound/Endpoint"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Blobs from "./Blobs.ts"
import * as Connection from "./Connection.ts"
import * as GcsErrors from "./GcsErrors.ts"
import type * as GcsOptions from "./GcsOptions.ts"
import * as ServiceAccount from "./ServiceAccount.ts"
import * as Tokens from "./Tokens.ts"
import type * as Transport from "./Transport.ts"
import * as Upload from "./Upload.ts"

/** What an option says, or the error that it says nothing of use. */
const configured = <A>(result: Result.Result<A, string>): Effect.Effect<A, BlobError.BlobError> =>
  Effect.mapError(
    Effect.fromResult(result),
    (why) => new BlobError.BlobError({ reason: "Internal", operation: "open", cause: new Error(why) })
  )

const tokensOf = (options: GcsOptions.Options, transport: Transport.Transport, endpoint: URL) =>
  options.credentials === undefined
    ? Tokens.ofEnvironment(endpoint)
    : Effect.map(configured(ServiceAccount.parse(Redacted.value(options.credentials))), (account) =>
        Tokens.ofAccount(transport, account, Connection.maxAttemptsOf(options))
      )

/** Opens the store; no request is made. */
export const make = (
  options: GcsOptions.Options
): Effect.Effect<BlobStore.BlobStore["Service"], BlobError.BlobError, Scope.Scope> =>
  Effect.gen(function* () {
    const endpoint = yield* configured(Endpoint.parse(options.endpoint ?? Connection.defaultEndpoint))
    // The operator named the addresses, and they may be private ones.
    const transport = yield* Connection.transport({ allowPrivate: true }, options, options.maxConnections ?? 500)
    const tokens = yield* tokensOf(options, transport, endpoint)
    const maxAttempts = Connection.maxAttemptsOf(options)
    const { bucket, prefix = "", projectId } = options
    const connection = Connection.make({ bucket, endpoint, transport, tokens, maxAttempts, projectId })
    const place: Blobs.Place = { connection, prefix }
    const uploads: Upload.Settings<BlobError.BlobError> = {
      chunkBytes: Upload.chunkBytesOf(options),
      resource: { contentType: "application/octet-stream" },
      toError: GcsErrors.toBlobError("put"),
      inspect: () => Effect.void,
      isUndone: true
    }

    return BlobStore.BlobStore.of({
      put: (key, content) =>
        Effect.flatMap(Blobs.nameOf(place, "put", key), (name) => Upload.put(connection, uploads, name, content)).pipe(
          Effect.map(({ digests: { sha256, size } }) => ({ size, sha256 }))
        ),
      read: (key, options) => Blobs.read(place, key, options?.range),
      stat: (key) => Blobs.stat(place, key),
      remove: (key) => Blobs.remove(place, key),
      list: (prefix) => Blobs.list(place, prefix),
      localFile: () => undefined,
      check: Blobs.check(place),
      capabilities: { name: "gcs", localFiles: false, shared: true }
    })
  })

export const layer = (options: GcsOptions.Options): Layer.Layer<BlobStore.BlobStore, BlobError.BlobError> =>
  Layer.effect(BlobStore.BlobStore, make(options))
