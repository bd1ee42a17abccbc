/**
 * The SDK's client as effects. The SDK is loaded when the first client is made, not when this package is.
 */
import type * as Sdk from "@aws-sdk/client-s3"
import type * as BlobError from "@holdfast/core/storage/BlobError"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as S3Errors from "./S3Errors.ts"
import type * as S3Options from "./S3Options.ts"

/** Makes one request. The signal ends it. */
type Request<A> = (client: Sdk.S3Client, sdk: typeof Sdk, options: { readonly abortSignal: AbortSignal }) => Promise<A>

/** An object's name in a request. */
interface Target {
  readonly Bucket: string
  readonly Key: string
}

export interface Connection {
  readonly bucket: string
  readonly prefix: string
  /** Where the blob of a key stands; `Internal` for a text that is no key. */
  readonly target: (operation: string, key: string) => Effect.Effect<Target, BlobError.BlobError>
  /** A request for one answer. When it is interrupted it is cut off, and has ended when the interruption has. */
  readonly call: <A>(operation: string, request: Request<A>) => Effect.Effect<A, BlobError.BlobError>
  /** A request for an object's bytes; whatever is left of them is cut off with the scope. */
  readonly open: (
    operation: string,
    target: Target & { readonly Range?: string }
  ) => Effect.Effect<Sdk.GetObjectCommandOutput, BlobError.BlobError, Scope.Scope>
}

/** Some are kept open for the next request. */
const agent = ({ maxConnections = 500 }: S3Options.Options) => ({ keepAlive: true, maxSockets: maxConnections })

const configuration = (options: S3Options.Options): Sdk.S3ClientConfig => ({
  region: options.region,
  forcePathStyle: options.forcePathStyle ?? false,
  ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
  ...(options.credentials === undefined ? {} : { credentials: plain(options.credentials) }),
  requestChecksumCalculation: options.requestChecksumCalculation ?? "WHEN_REQUIRED",
  // A checksum that the service kept of a whole object is verified when it gives one, unless it is told not to.
  responseChecksumValidation: options.requestChecksumCalculation ?? "WHEN_REQUIRED",
  maxAttempts: options.maxAttempts ?? 3,
  requestHandler: {
    connectionTimeout: Duration.toMillis(options.connectTimeout ?? "5 seconds"),
    socketTimeout: Duration.toMillis(options.idleTimeout ?? "1 minute"),
    httpAgent: agent(options),
    httpsAgent: agent(options)
  }
})

const plain = ({ accessKeyId, secretAccessKey, sessionToken }: S3Options.Credentials) => ({
  accessKeyId,
  secretAccessKey: Redacted.value(secretAccessKey),
  ...(sessionToken === undefined ? {} : { sessionToken: Redacted.value(sessionToken) })
})

/** A client, closed with the scope. No request is made yet. */
export const make = (options: S3Options.Options): Effect.Effect<Connection, BlobError.BlobError, Scope.Scope> =>
  Effect.gen(function* () {
    const sdk = yield* Effect.promise(() => import("@aws-sdk/client-s3"))
    const client = yield* Effect.acquireRelease(
      Effect.try({ try: () => new sdk.S3Client(configuration(options)), catch: S3Errors.fromSdk("open") }),
      (client) => Effect.sync(() => client.destroy())
    )
    const prefix = options.prefix ?? ""

    const call = <A>(operation: string, request: Request<A>): Effect.Effect<A, BlobError.BlobError> =>
      Effect.callback((resume) => {
        const controller = new AbortController()
        const ended = request(client, sdk, { abortSignal: controller.signal }).then(
          (answer) => resume(Effect.succeed(answer)),
          (cause) => resume(Effect.fail(S3Errors.fromSdk(operation)(cause)))
        )
        return Effect.promise(() => {
          controller.abort()
          return ended
        })
      })

    const open: Connection["open"] = (operation, target) =>
      Effect.acquireRelease(
        Effect.sync(() => new AbortController()),
        (controller) => Effect.sync(() => controller.abort())
      ).pipe(
        Effect.flatMap(({ signal }) =>
          Effect.tryPromise({
            try: () => client.send(new sdk.GetObjectCommand(target), { abortSignal: signal }),
            catch: S3Errors.fromSdk(operation)
          })
        )
      )

    return {
      bucket: options.bucket,
      prefix,
      target: (operation, key) =>
        BlobKey.parse(key) === undefined
          ? Effect.fail(S3Errors.invalidKey(operation))
          : Effect.succeed({ Bucket: options.bucket, Key: prefix + key }),
      call,
      open
    }
  })
