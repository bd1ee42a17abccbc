/**
 * Puts an object in one request: a small one directly, since there are many of them.
 */
import type * as Sdk from "@aws-sdk/client-s3"
import * as AnswerTime from "./AnswerTime.ts"
import type * as Client from "./Client.ts"
import type * as DirectRequests from "./DirectRequests.ts"
import * as PayloadHash from "./PayloadHash.ts"
import * as S3Errors from "./S3Errors.ts"

/** Fields of the SDK's, and the headers that they are sent in. */
const headerNames = {
  CacheControl: "cache-control",
  ContentDisposition: "content-disposition",
  ContentEncoding: "content-encoding",
  ContentLanguage: "content-language",
  ContentMD5: "content-md5",
  ContentType: "content-type"
} as const

export interface Input extends Client.Target, Pick<Sdk.PutObjectCommandInput, keyof typeof headerNames | "Metadata"> {
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

/** Larger ones are few enough for the SDK. */
const maxBytes = 1024 * 1024

const headersOf = ({ Body, Metadata, ...input }: Input): Record<string, string> => {
  const headers: Record<string, string> = {
    "content-length": String(Body.byteLength),
    // As the SDK has it where nobody gives one.
    "content-type": "application/octet-stream"
  }
  for (const [field, name] of Object.entries(headerNames)) {
    const value = S3Errors.property(input, field)
    if (typeof value === "string") headers[name] = value
  }
  for (const [name, value] of Object.entries(Metadata ?? {})) headers[`x-amz-meta-${name.toLowerCase()}`] = value
  return headers
}

export const make = (client: Sdk.S3Client, sdk: typeof Sdk, send: DirectRequests.Send): Put => {
  const directly = async (input: Input, sha256: string, abortSignal: AbortSignal): Promise<Answer | undefined> => {
    if (input.Body.byteLength > maxBytes) return undefined
    const request = {
      operation: "PutObject",
      target: input,
      headers: headersOf(input),
      body: input.Body,
      sha256
    } as const
    const answer = await send(request, abortSignal)
    if (answer === undefined) return undefined
    // An answer that does not end is none.
    const isWhole = await client.config.streamCollector(answer.body).then(
      () => true,
      () => false
    )
    return isWhole ? { ETag: answer.headers["etag"], time: AnswerTime.parse(answer.headers["date"]) } : undefined
  }

  const bySdk = async (input: Input, sha256: string, options: { readonly abortSignal: AbortSignal }) => {
    PayloadHash.tell(input.Body, sha256)
    const command = new sdk.PutObjectCommand({ ...input, ContentLength: input.Body.byteLength })
    const answer = await client.send(command, options)
    return { ETag: answer.ETag, time: AnswerTime.of(answer) }
  }

  return async (input, sha256, options) =>
    (await directly(input, sha256, options.abortSignal)) ?? bySdk(input, sha256, options)
}
