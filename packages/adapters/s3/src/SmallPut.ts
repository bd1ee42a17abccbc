/**
 * Puts small objects as the SDK does, without its middleware, which takes longer than all the rest that is done for a small one.
 * Where to send them, and how to sign, is what the SDK found out for one that it has put. What does not end in 200 is
 * left to the SDK, which repeats and redirects, and tells what is wrong.
 */
import type * as Sdk from "@aws-sdk/client-s3"
import * as AnswerTime from "./AnswerTime.ts"
import * as PayloadHash from "./PayloadHash.ts"
import * as S3Errors from "./S3Errors.ts"

/** An object that is put in one request. */
export interface Input extends Pick<
  Sdk.PutObjectCommandInput,
  | "CacheControl"
  | "ContentDisposition"
  | "ContentEncoding"
  | "ContentLanguage"
  | "ContentMD5"
  | "ContentType"
  | "Metadata"
> {
  readonly Bucket: string
  readonly Key: string
  readonly Body: Uint8Array
}

/** What the service tells of it. */
export interface Answer {
  readonly ETag: string | undefined
  /** Seconds since 1970. */
  readonly time: number | undefined
}

/** Puts an object whose SHA-256 is known, hexadecimal. */
export type Put = (input: Input, sha256: string, options: { readonly abortSignal: AbortSignal }) => Promise<Answer>

type Context = Parameters<Parameters<Sdk.S3Client["middlewareStack"]["add"]>[0]>[1]
type Signer = Awaited<ReturnType<Sdk.S3Client["config"]["signer"]>>

/** Larger ones are few enough for the SDK. */
const maxBytes = 1024 * 1024

interface Lane {
  readonly bucket: string
  readonly url: URL
  readonly signer: Signer
}

/** The lane of a request that succeeded; none where it was signed in another way than all services know. */
const laneOf = async (client: Sdk.S3Client, bucket: unknown, { endpointV2 }: Context): Promise<Lane | undefined> => {
  const schemes = endpointV2?.properties?.["authSchemes"]
  const scheme = Array.isArray(schemes) ? schemes[0] : undefined
  const [name, region, service] = ["name", "signingRegion", "signingName"].map((key) => S3Errors.property(scheme, key))
  if (endpointV2 === undefined || typeof bucket !== "string" || name !== "sigv4" || service !== "s3") return undefined
  if (typeof region !== "string" || Object.keys(endpointV2.headers ?? {}).length > 0) return undefined
  const signer = await client.config.signer({ name, signingName: service, signingRegion: region, properties: {} })
  return { bucket, url: endpointV2.url, signer }
}

const headerNames = {
  CacheControl: "cache-control",
  ContentDisposition: "content-disposition",
  ContentEncoding: "content-encoding",
  ContentLanguage: "content-language",
  ContentMD5: "content-md5",
  ContentType: "content-type"
} as const

/** One segment as S3's signatures have it (RFC 3986). */
const escaped = (segment: string): string =>
  encodeURIComponent(segment).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  )

const requestOf = ({ url }: Lane, { Body, Key, Metadata, ...input }: Input, sha256: string) => {
  const headers: Record<string, string> = {
    host: url.host,
    "content-length": String(Body.byteLength),
    // As the SDK has it where nobody gives one.
    "content-type": "application/octet-stream",
    "x-amz-content-sha256": sha256
  }
  for (const [field, name] of Object.entries(headerNames)) {
    const value = S3Errors.property(input, field)
    if (typeof value === "string") headers[name] = value
  }
  for (const [name, value] of Object.entries(Metadata ?? {})) headers[`x-amz-meta-${name.toLowerCase()}`] = value
  return {
    method: "PUT",
    protocol: url.protocol,
    hostname: url.hostname,
    ...(url.port === "" ? {} : { port: Number(url.port) }),
    path: `${url.pathname.replace(/\/$/, "")}/${Key.split("/").map(escaped).join("/")}`,
    query: { "x-id": "PutObject" },
    headers,
    body: Body
  }
}

/** For one client, which learns from its own requests. */
export const make = (client: Sdk.S3Client, sdk: typeof Sdk): Put => {
  const { config } = client
  let lane: Lane | undefined

  client.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args)
      if (context["commandName"] === "PutObjectCommand") {
        lane ??= await laneOf(client, S3Errors.property(args.input, "Bucket"), context)
      }
      return result
    },
    { name: "holdfastSmallPut", step: "initialize" }
  )

  /** Undefined when the SDK has to do it. */
  const attempt = async (lane: Lane, input: Input, sha256: string, abortSignal: AbortSignal) => {
    try {
      const signingDate = new Date(Date.now() + config.systemClockOffset)
      const request = await lane.signer.sign(requestOf(lane, input, sha256), { signingDate })
      const { response } = await config.requestHandler.handle(request, { abortSignal })
      if (response.statusCode !== 200) return void response.body.destroy()
      await config.streamCollector(response.body)
      return { ETag: response.headers["etag"], time: AnswerTime.parse(response.headers["date"]) }
    } catch {
      // The SDK tries once more, and tells what is wrong.
      return undefined
    }
  }

  const bySdk = async (input: Input, sha256: string, options: { readonly abortSignal: AbortSignal }) => {
    PayloadHash.tell(input.Body, sha256)
    const command = new sdk.PutObjectCommand({ ...input, ContentLength: input.Body.byteLength })
    const answer = await client.send(command, options)
    return { ETag: answer.ETag, time: AnswerTime.of(answer) }
  }

  return async (input, sha256, options) => {
    const isSmall = input.Body.byteLength <= maxBytes
    const answer =
      isSmall && lane?.bucket === input.Bucket ? await attempt(lane, input, sha256, options.abortSignal) : undefined
    return answer ?? bySdk(input, sha256, options)
  }
}
