/**
 * Sends requests for objects as the SDK would, but without its middleware, which takes more processor time than the
 * rest of a small request. The endpoint and the signer are those of a request of the SDK's that succeeded. A direct
 * request that does not succeed is left to the SDK, which retries, redirects and reports errors.
 */
import type * as Sdk from "@aws-sdk/client-s3"
import { property } from "@holdfast/outbound/Property"
import type { Readable } from "node:stream"
import type { ObjectAddress } from "./ObjectAddress.ts"

export interface Request {
  /** The SDK's name of the operation, without `Command`. */
  readonly operation: "GetObject" | "PutObject"
  readonly address: ObjectAddress
  /** By lower-case name, without the headers that every request has. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** Of the body, hexadecimal. */
  readonly sha256: string
}

/** A successful response. The caller reads its body or destroys it. */
export interface Response {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Readable
}

/** Sends a request. Returns undefined when the SDK has to make the request instead. */
export type Send = (request: Request, abortSignal: AbortSignal) => Promise<Response | undefined>

type Context = Parameters<Parameters<Sdk.S3Client["middlewareStack"]["add"]>[0]>[1]
type Signer = Awaited<ReturnType<Sdk.S3Client["config"]["signer"]>>

const methods = { GetObject: "GET", PutObject: "PUT" } as const

/** Where a bucket's requests go, and how they are signed. */
interface Endpoint {
  readonly bucket: string
  readonly url: URL
  readonly signer: Signer
}

/** Returns the endpoint of a request that succeeded; undefined when it was not signed by plain Signature Version 4. */
const learn = async (client: Sdk.S3Client, bucket: unknown, { endpointV2 }: Context): Promise<Endpoint | undefined> => {
  const schemes = endpointV2?.properties?.["authSchemes"]
  const scheme = Array.isArray(schemes) ? schemes[0] : undefined
  const [name, region, service] = ["name", "signingRegion", "signingName"].map((key) => property(scheme, key))
  if (endpointV2 === undefined || typeof bucket !== "string" || name !== "sigv4" || service !== "s3") return undefined
  if (typeof region !== "string" || Object.keys(endpointV2.headers ?? {}).length > 0) return undefined
  const signer = await client.config.signer({ name, signingName: service, signingRegion: region, properties: {} })
  return { bucket, url: endpointV2.url, signer }
}

/** Encodes one segment of a path as S3's signatures require (RFC 3986). */
const encodeSegment = (segment: string): string =>
  encodeURIComponent(segment).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  )

const toUnsigned = ({ url }: Endpoint, { address, body, headers, operation, sha256 }: Request) => ({
  method: methods[operation],
  protocol: url.protocol,
  hostname: url.hostname,
  ...(url.port === "" ? {} : { port: Number(url.port) }),
  path: `${url.pathname.replace(/\/$/, "")}/${address.Key.split("/").map(encodeSegment).join("/")}`,
  query: { "x-id": operation },
  headers: { host: url.host, ...headers, "x-amz-content-sha256": sha256 },
  ...(body === undefined ? {} : { body })
})

/** Makes the function for one client. It learns the endpoint from the client's own requests. */
export const make = (client: Sdk.S3Client): Send => {
  const { config } = client
  let endpoint: Endpoint | undefined

  client.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args)
      if (["GetObjectCommand", "PutObjectCommand"].includes(String(context["commandName"]))) {
        endpoint ??= await learn(client, property(args.input, "Bucket"), context)
      }
      return result
    },
    { name: "holdfastDirectRequests", step: "initialize" }
  )

  return async (request, abortSignal) => {
    if (endpoint?.bucket !== request.address.Bucket) return undefined
    try {
      const signingDate = new Date(Date.now() + config.systemClockOffset)
      const signed = await endpoint.signer.sign(toUnsigned(endpoint, request), { signingDate })
      const { response } = await config.requestHandler.handle(signed, { abortSignal })
      if (response.statusCode === 200 || response.statusCode === 206) return response
      response.body.destroy()
    } catch {
      // The SDK makes the request once more, and reports what is wrong.
    }
    return undefined
  }
}
