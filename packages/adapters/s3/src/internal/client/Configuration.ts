/**
 * The SDK's configuration for a store and for a mirror target.
 */
import type * as Sdk from "@aws-sdk/client-s3"
import type { S3Location } from "@holdfast/core/mirrors/targets/types/S3TargetType"
import * as GuardedAgents from "@holdfast/outbound/GuardedAgents"
import * as RequestOptions from "@holdfast/outbound/RequestOptions"
import type { RequestLine } from "@holdfast/outbound/RequestRules"
import * as Redacted from "effect/Redacted"
import type { Readable } from "node:stream"
import type * as S3Options from "../../S3Options.ts"

/** The endpoint, if there is one, is the text that was configured. */
export type Configuration = Sdk.S3ClientConfig & { readonly endpoint?: string }

const toCredentials = ({ accessKeyId, secretAccessKey, sessionToken }: S3Options.Credentials) => ({
  accessKeyId,
  secretAccessKey: Redacted.value(secretAccessKey),
  ...(sessionToken === undefined ? {} : { sessionToken: Redacted.value(sessionToken) })
})

/** The SDK names the operation in the query of each request for an object's bytes, and so does `DirectRequests`. */
const isContent = ({ path }: RequestLine): boolean => /[?&]x-id=GetObject(?:&|$)/.test(path)

/** A copy, or the completion of a multipart upload, for which Amazon names several minutes. */
const isSlow = ({ header, method, path }: RequestLine): boolean =>
  header("x-amz-copy-source") !== undefined || (method === "POST" && /[?&]uploadId=/.test(path))

/** For the deployment's own bucket. */
export const forStore = (options: S3Options.Options): Configuration => {
  const { connectTimeout, idleTimeout, maxAttempts, maxConnections, requestTimeout } = RequestOptions.resolve(
    options,
    RequestOptions.storeConnections
  )
  // The operator has configured the address, which may be a private one.
  const agents = GuardedAgents.make(
    { allowPrivate: true },
    { maxSockets: maxConnections },
    { isContent, isSlow, requestTimeout }
  )
  return {
    region: options.region,
    forcePathStyle: options.forcePathStyle ?? false,
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
    ...(options.credentials === undefined ? {} : { credentials: toCredentials(options.credentials) }),
    requestChecksumCalculation: options.requestChecksumCalculation ?? "WHEN_REQUIRED",
    // By default the SDK would verify the checksum of a whole object when the service sends one.
    responseChecksumValidation: options.requestChecksumCalculation ?? "WHEN_REQUIRED",
    maxAttempts,
    requestHandler: {
      connectionTimeout: connectTimeout,
      socketTimeout: idleTimeout,
      httpAgent: agents.http,
      httpsAgent: agents.https
    }
  }
}

/** Reads the whole body of a response. Fails when it is cut. */
const collect = (body: Readable): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const chunks: Array<Uint8Array> = []
    body.on("data", (chunk: Uint8Array) => void chunks.push(chunk))
    body.on("end", () => resolve(Buffer.concat(chunks)))
    body.on("error", reject)
    body.on("close", () => body.readableEnded || reject(new Error("the response was cut")))
  })

/** For a mirror target, whose address and keys a user has configured. */
export const forTarget = (options: S3Options.MirrorOptions, location: S3Location): Configuration => {
  const { connectTimeout, idleTimeout, maxAttempts, maxConnections, requestTimeout } = RequestOptions.resolve(
    options,
    RequestOptions.targetConnections
  )
  const agents = GuardedAgents.make(options, { maxSockets: maxConnections }, { isContent, isSlow, requestTimeout })
  return {
    region: location.region,
    forcePathStyle: location.forcePathStyle ?? false,
    ...(location.endpoint === undefined ? {} : { endpoint: location.endpoint }),
    credentials: toCredentials(location),
    // The SDK's environment variables configure the deployment's own bucket, not the bucket of a user.
    ignoreConfiguredEndpointUrls: true,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    useArnRegion: false,
    // Every request with bytes has a checksum already, and many compatible services refuse the SDK's own checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    streamCollector: collect,
    maxAttempts,
    requestHandler: {
      connectionTimeout: connectTimeout,
      socketTimeout: idleTimeout,
      httpAgent: agents.http,
      httpsAgent: agents.https
    }
  }
}
