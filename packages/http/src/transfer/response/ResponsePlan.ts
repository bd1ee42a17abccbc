/**
 * What a GET or HEAD request is to be answered with: decided from the request's headers and the content's description
 * alone, before any byte is read.
 */
import { PreconditionFailed } from "@holdfast/core/Errors"
import { randomBytes } from "node:crypto"
import * as ByteRanges from "../request/ByteRanges.ts"
import * as Conditionals from "../request/Conditionals.ts"
import * as ContentHeaders from "./ContentHeaders.ts"
import type { RequestHeaders } from "../request/EntityTags.ts"
import * as MultipartByteRanges from "./MultipartByteRanges.ts"
import type { BodySlice } from "../local/LargeFile.ts"
import { RangeNotSatisfiable } from "../TransferErrors.ts"

/** A content as its record describes it. */
export interface ContentDescription extends ContentHeaders.ContentDescription {
  /** Bytes. */
  readonly size: number
}

export interface ResponsePlan {
  readonly status: 200 | 206 | 304
  readonly headers: ContentHeaders.ResponseHeaders
  /** What the body consists of; nothing for HEAD, 304 and an empty content. */
  readonly slices: ReadonlyArray<BodySlice>
}

interface Asked {
  readonly method: string
  readonly headers: RequestHeaders
}

/** Adds headers in place. `Vary` is a list, to which both sides may contribute. */
const add = (headers: ContentHeaders.ResponseHeaders, extra: Readonly<Record<string, string>>): void => {
  const { vary } = headers
  Object.assign(headers, extra)
  if (vary !== undefined && extra["vary"] !== undefined) headers["vary"] = `${vary}, ${extra["vary"]}`
}

const partial = (
  content: ContentDescription,
  headers: ContentHeaders.ResponseHeaders,
  ranges: readonly [ByteRanges.ByteRange, ...ReadonlyArray<ByteRanges.ByteRange>]
): ResponsePlan => {
  if (ranges.length === 1) {
    const [range] = ranges
    const length = ByteRanges.lengthOf(range)
    headers["content-range"] = `bytes ${range.start}-${range.end}/${content.size}`
    headers["content-length"] = `${length}`
    return { status: 206, headers, slices: [{ offset: range.start, length }] }
  }
  const whole = { size: content.size, contentType: headers["content-type"] ?? content.contentType }
  const framed = MultipartByteRanges.frame(ranges, whole, randomBytes(18).toString("base64url"))
  headers["content-type"] = framed.contentType
  headers["content-length"] = `${framed.length}`
  return { status: 206, headers, slices: framed.slices }
}

/**
 * The answer to a request for a content. Ranges are for GET alone (RFC 9110, section 14.2), and after the conditions
 * (section 13.2.2). A 304 carries all the headers of the content: a file's own headers change without its entity tag.
 *
 * @param extra Headers of the deployment, by lower-case name, which replace the content's.
 * @param now Epoch milliseconds.
 */
export const make = (
  request: Asked,
  content: ContentDescription,
  extra: Readonly<Record<string, string>>,
  now: number
): ResponsePlan | PreconditionFailed | RangeNotSatisfiable => {
  const outcome = Conditionals.evaluate(request.headers, content, now)
  if (outcome._tag === "PreconditionFailed") return new PreconditionFailed()
  const headers = ContentHeaders.make(content, now)
  add(headers, extra)
  if (outcome._tag === "NotModified") return { status: 304, headers, slices: [] }
  const { size } = content
  if (request.method === "GET" && outcome.useRange) {
    const ranges = ByteRanges.parse(request.headers["range"], size)
    if (ranges._tag === "Unsatisfiable") return new RangeNotSatisfiable({ size })
    if (ranges._tag === "Satisfiable") return partial(content, headers, ranges.ranges)
  }
  headers["content-length"] = `${size}`
  return { status: 200, headers, slices: request.method === "HEAD" || size === 0 ? [] : [{ offset: 0, length: size }] }
}
