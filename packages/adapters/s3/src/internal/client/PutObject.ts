/**
 * Puts an object in one request. Small objects are many, so they are sent by `DirectRequests` where possible.
 */
import type * as Sdk from "@aws-sdk/client-s3"
import { header } from "@holdfast/core/mirrors/targets/Trace"
import { property } from "@holdfast/outbound/Property"
import type * as DirectRequests from "./DirectRequests.ts"
import type { ObjectAddress } from "./ObjectAddress.ts"
import * as PayloadHash from "./PayloadHash.ts"
import type { Traced } from "./TraceHeader.ts"
import * as ResponseDate from "./ResponseDate.ts"

/** Fields of the SDK, and their headers. */
const headerNames = {
  CacheControl: "cache-control",
  ContentDisposition: "content-disposition",
  ContentEncoding: "content-encoding",
  ContentLanguage: "content-language",
  ContentMD5: "content-md5",
  ContentType: "content-type",
  Trace: header
} as const

type Described = Pick<Sdk.PutObjectCommandInput, Exclude<keyof typeof headerNames, "Trace"> | "Metadata">

export interface Input extends ObjectAddress, Described, Traced {
  readonly Body: Uint8Array
}

/** What a response says about the object that was put. */
export interface Output {
  readonly ETag: string | undefined
  /** Seconds since 1970. */
  readonly date: number | undefined
}

/** Puts an object whose SHA-256, hexadecimal, is known. */
export type Put = (input: Input, sha256: string, abortSignal: AbortSignal) => Promise<Output>

/** Larger objects are few enough for the SDK. */
const maxDirectBytes = 1024 * 1024

const toHeaders = ({ Body, Metadata, ...input }: Input): Record<string, string> => {
  const headers: Record<string, string> = {
    "content-length": String(Body.byteLength),
    // The SDK's default.
    "content-type": "application/octet-stream"
  }
  for (const [field, name] of Object.entries(headerNames)) {
    const value = property(input, field)
    if (typeof value === "string") headers[name] = value
  }
  for (const [name, value] of Object.entries(Metadata ?? {})) headers[`x-amz-meta-${name.toLowerCase()}`] = value
  return headers
}

/** Makes the function. It sends objects of up to 1 MiB by `send` if that succeeds, and all others by the SDK. */
export const make = (client: Sdk.S3Client, sdk: typeof Sdk, send: DirectRequests.Send): Put => {
  const putDirectly = async (input: Input, sha256: string, abortSignal: AbortSignal): Promise<Output | undefined> => {
    if (input.Body.byteLength > maxDirectBytes) return undefined
    const request = {
      operation: "PutObject",
      address: input,
      headers: toHeaders(input),
      body: input.Body,
      sha256
    } as const
    const response = await send(request, abortSignal)
    if (response === undefined) return undefined
    // A response whose body is cut does not count as an answer.
    const isComplete = await client.config.streamCollector(response.body).then(
      () => true,
      () => false
    )
    return isComplete
      ? { ETag: response.headers["etag"], date: ResponseDate.parse(response.headers["date"]) }
      : undefined
  }

  const putBySdk = async (input: Input, sha256: string, abortSignal: AbortSignal): Promise<Output> => {
    PayloadHash.set(input.Body, sha256)
    const command = new sdk.PutObjectCommand({ ...input, ContentLength: input.Body.byteLength })
    const output = await client.send(command, { abortSignal })
    return { ETag: output.ETag, date: ResponseDate.get(output) }
  }

  return async (input, sha256, abortSignal) =>
    (await putDirectly(input, sha256, abortSignal)) ?? putBySdk(input, sha256, abortSignal)
}
