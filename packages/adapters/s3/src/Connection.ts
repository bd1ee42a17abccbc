/**
 * The client of a blob store.
 */
import type * as BlobError from "@holdfast/core/storage/BlobError"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Client from "./Client.ts"
import * as S3Errors from "./S3Errors.ts"
import type * as S3Options from "./S3Options.ts"

export interface Connection extends Client.Client<BlobError.BlobError> {
  readonly bucket: string
  readonly prefix: string
  /** Where the blob of a key stands; `Internal` for a text that is no key. */
  readonly target: (operation: string, key: string) => Effect.Effect<Client.Target, BlobError.BlobError>
}

/** Some are kept open for the next request. */
const agent = ({ maxConnections = 500 }: S3Options.Options) => ({ keepAlive: true, maxSockets: maxConnections })

const configuration = (options: S3Options.Options): Client.Configuration => ({
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
  Effect.map(Client.make(configuration(options), S3Errors), (client) => {
    const prefix = options.prefix ?? ""
    return {
      ...client,
      bucket: options.bucket,
      prefix,
      target: (operation, key) =>
        BlobKey.parse(key) === undefined
          ? Effect.fail(S3Errors.invalidKey(operation))
          : Effect.succeed({ Bucket: options.bucket, Key: prefix + key })
    }
  })
