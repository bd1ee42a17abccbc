/**
 * The plan of the response to a GET or HEAD request: status, headers and slices of the body. It follows from the request's
 * headers and the content's description alone, so it is made before any byte is read.
 */
import { PreconditionFailed } from "@holdfast/core/Errors"
import { randomBytes } from "node:crypto"
import type { BodySlice } from "../BodySlice.ts"
import * as ByteRanges from "../request/ByteRanges.ts"
import * as Conditionals from "../request/Conditionals.ts"
import type { RequestHeaders } from "../request/EntityTags.ts"
import { RangeNotSatisfiable } from "../TransferErrors.ts"
import * as ContentHeaders from "./ContentHeaders.ts"
import * as MultipartByteRanges from "./MultipartByteRanges.ts"

export interface ResponsePlan {
  readonly status: 200 | 206 | 304
  readonly headers: ContentHeaders.ResponseHeaders
  /** The slices of the body, in order; none for HEAD, 304 and an empty content. */
  readonly slices: ReadonlyArray<BodySlice>
}

/** What the plan reads of a request. */
export interface ReadRequest {
  readonly method: string
  readonly headers: RequestHeaders
}

const partialContent = (
  content: ContentHeaders.ContentDescription,
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
  const body = MultipartByteRanges.frame(ranges, whole, randomBytes(18).toString("base64url"))
  headers["content-type"] = body.contentType
  headers["content-length"] = `${body.length}`
  return { status: 206, headers, slices: body.slices }
}

/**
 * Plans the response to a request for a content.
 *
 * Conditions are evaluated before ranges (RFC 9110, section 13.2.2). A 304 carries
 * all headers of the content, because a file's own headers can change while its entity tag stays the same.
 *
 * @param extra Headers of the deployment, by lower-case name. They replace the content's.
 * @param now Epoch milliseconds.
 */
export const make = (
  request: ReadRequest,
  content: ContentHeaders.ContentDescription,
  extra: Readonly<Record<string, string>>,
  now: number
): ResponsePlan | PreconditionFailed | RangeNotSatisfiable => {
  const outcome = Conditionals.evaluate(request.headers, content, now)
  if (outcome._tag === "PreconditionFailed") return new PreconditionFailed()
  const headers = ContentHeaders.make(content, now)
  Object.assign(headers, extra)
  if (outcome._tag === "NotModified") return { status: 304, headers, slices: [] }
  const { size } = content
  const isHead = request.method === "HEAD"
  if ((isHead ? content.hasHeadRanges === true : request.method === "GET") && outcome.useRange) {
    const ranges = ByteRanges.parse(request.headers["range"], size)
    if (ranges._tag === "Unsatisfiable") return new RangeNotSatisfiable({ size })
    if (ranges._tag === "Satisfiable") {
      const plan = partialContent(content, headers, ranges.ranges)
      return isHead ? { ...plan, slices: [] } : plan
    }
  }
  headers["content-length"] = `${size}`
  return { status: 200, headers, slices: isHead || size === 0 ? [] : [{ offset: 0, length: size }] }
}
