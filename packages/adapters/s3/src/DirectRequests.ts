/**
 * Requests for objects as the SDK makes them, without its middleware, which takes longer than all the rest of a small one. Where
 * to send them, and how to sign, is what the SDK found out for one that succeeded. What does not succeed is left to the SDK,
 * which repeats and redirects, and tells what is wrong.
 */
import type * as Sdk from "@aws-sdk/client-s3"
import type { Readable } from "node:stream"
import type * as Client from "./Client.ts"
import * as S3Errors from "./S3Errors.ts"

export interface Request {
  /** As the SDK names it, without `Command`. */
  readonly operation: "GetObject" | "PutObject"
  readonly target: Client.Target
  /** By lower-case name, without those that every request has. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** Of the body, hexadecimal. */
  readonly sha256: string
}

/** An answer that tells of success. Whoever gets it reads its body, or destroys it. */
export interface Answer {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Readable
}

/** Undefined when the SDK has to make the request. */
export type Send = (request: Request, abortSignal: AbortSignal) => Promise<Answer | undefined>

type Context = Parameters<Parameters<Sdk.S3Client["middlewareStack"]["add"]>[0]>[1]
type Signer = Awaited<ReturnType<Sdk.S3Client["config"]["signer"]>>

const methods = { GetObject: "GET", PutObject: "PUT" } as const

interface Place {
  readonly bucket: string
  readonly url: URL
  readonly signer: Signer
}

/** The place of a request that succeeded; none where it was signed in another way than all services know. */
const placeOf = async (client: Sdk.S3Client, bucket: unknown, { endpointV2 }: Context): Promise<Place | undefined> => {
  const schemes = endpointV2?.properties?.["authSchemes"]
  const scheme = Array.isArray(schemes) ? schemes[0] : undefined
  const [name, region, service] = ["name", "signingRegion", "signingName"].map((key) => S3Errors.property(scheme, key))
  if (endpointV2 === undefined || typeof bucket !== "string" || name !== "sigv4" || service !== "s3") return undefined
  if (typeof region !== "string" || Object.keys(endpointV2.headers ?? {}).length > 0) return undefined
  const signer = await client.config.signer({ name, signingName: service, signingRegion: region, properties: {} })
  return { bucket, url: endpointV2.url, signer }
}

/** One segment as S3's signatures have it (RFC 3986). */
const escaped = (segment: string): string =>
  encodeURIComponent(segment).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  )

const unsigned = ({ url }: Place, { body, headers, operation, sha256, target }: Request) => ({
  method: methods[operation],
  protocol: url.protocol,
  hostname: url.hostname,
  ...(url.port === "" ? {} : { port: Number(url.port) }),
  path: `${url.pathname.replace(/\/$/, "")}/${target.Key.split("/").map(escaped).join("/")}`,
  query: { "x-id": operation },
  headers: { host: url.host, ...headers, "x-amz-content-sha256": sha256 },
  ...(body === undefined ? {} : { body })
})

/** For one client, which learns from its own requests. */
export const make = (client: Sdk.S3Client): Send => {
  const { config } = client
  let place: Place | undefined

  client.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args)
      if (["GetObjectCommand", "PutObjectCommand"].includes(String(context["commandName"]))) {
        place ??= await placeOf(client, S3Errors.property(args.input, "Bucket"), context)
      }
      return result
    },
    { name: "holdfastDirectRequests", step: "initialize" }
  )

  return async (request, abortSignal) => {
    if (place?.bucket !== request.target.Bucket) return undefined
    try {
      const signingDate = new Date(Date.now() + config.systemClockOffset)
      const signed = await place.signer.sign(unsigned(place, request), { signingDate })
      const { response } = await config.requestHandler.handle(signed, { abortSignal })
      if (response.statusCode === 200 || response.statusCode === 206) return response
      response.body.destroy()
    } catch {
      // The SDK tries once more, and tells what is wrong.
    }
    return undefined
  }
}
