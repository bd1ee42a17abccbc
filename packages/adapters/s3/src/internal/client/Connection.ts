/**
 * The SDK's client for one bucket, as effects that fail with `S3Failure`. The SDK is loaded when the first client is
 * made, not when this package is imported.
 */
import type { S3Client } from "@aws-sdk/client-s3"
import * as AbortableRequest from "@holdfast/outbound/AbortableRequest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createHash } from "node:crypto"
import * as S3Failure from "../S3Failure.ts"
import type { Configuration } from "./Configuration.ts"
import * as DirectRequests from "./DirectRequests.ts"
import type { RangeAddress } from "./ObjectAddress.ts"
import * as PayloadHash from "./PayloadHash.ts"
import * as PutObject from "./PutObject.ts"
import * as ResponseDate from "./ResponseDate.ts"
import * as Sdk from "./Sdk.ts"
import * as TraceHeader from "./TraceHeader.ts"

/** Makes one request of the SDK. The signal in `options` aborts it. */
type Request<A> = (client: S3Client, sdk: Sdk.Sdk, options: { readonly abortSignal: AbortSignal }) => Promise<A>

/** The head of a response to a read. */
export interface Opened {
  /** A stream of Node's, if the service sent one. */
  readonly Body?: unknown
  readonly ContentLength?: number | undefined
  readonly ContentRange?: string | undefined
}

/** A client of one bucket. */
export interface Connection {
  readonly bucket: string
  /** Whether requests go over TLS. */
  readonly isEncrypted: boolean
  /** Makes a request for one answer, as `AbortableRequest.call`. */
  readonly call: <A>(request: Request<A>) => Effect.Effect<A, S3Failure.S3Failure>
  /** Puts an object in one request, as `PutObject`. An interruption aborts it like `call`. */
  readonly put: (input: PutObject.Input, sha256: string) => Effect.Effect<PutObject.Output, S3Failure.S3Failure>
  /** Requests an object's bytes, as `AbortableRequest.open`. */
  readonly open: (address: RangeAddress) => Effect.Effect<Opened, S3Failure.S3Failure, Scope.Scope>
}

const emptySha256 = createHash("sha256").digest("hex")

/** Makes a client, which is closed with the scope. Makes no request. */
export const make = Effect.fnUntraced(function* (
  configuration: Configuration,
  bucket: string
): Effect.fn.Return<Connection, S3Failure.S3Failure, Scope.Scope> {
  const sdk = yield* Sdk.atOnce
  const client = yield* Effect.acquireRelease(
    Effect.try({ try: () => new sdk.S3Client(configuration), catch: S3Failure.fromCause }),
    (client) => Effect.sync(() => client.destroy())
  )
  // It prepares log entries even without a logger.
  client.middlewareStack.remove("loggerMiddleware")
  ResponseDate.install(client)
  PayloadHash.install(client)
  TraceHeader.install(client)
  // Only the SDK's middleware adds the SDK's own checksums.
  const hasSdkChecksums = configuration.requestChecksumCalculation !== "WHEN_REQUIRED"
  const send: DirectRequests.Send = hasSdkChecksums ? () => Promise.resolve(undefined) : DirectRequests.make(client)
  const put = PutObject.make(client, sdk, send)

  const get = async (address: RangeAddress, abortSignal: AbortSignal): Promise<Opened> => {
    const headers = address.Range === undefined ? {} : { range: address.Range }
    const response = await send({ operation: "GetObject", address, headers, sha256: emptySha256 }, abortSignal)
    if (response === undefined) return client.send(new sdk.GetObjectCommand(address), { abortSignal })
    const length = response.headers["content-length"]
    return {
      Body: response.body,
      ContentLength: length === undefined ? undefined : Number(length),
      ContentRange: response.headers["content-range"]
    }
  }

  return {
    bucket,
    isEncrypted: configuration.endpoint === undefined || /^https:/i.test(configuration.endpoint),
    call: (request) =>
      AbortableRequest.call((abortSignal) => request(client, sdk, { abortSignal }), S3Failure.fromCause),
    put: (input, sha256) =>
      AbortableRequest.call((abortSignal) => put(input, sha256, abortSignal), S3Failure.fromCause),
    open: (address) => AbortableRequest.open((signal) => get(address, signal), S3Failure.fromCause)
  }
})
