/**
 * The response headers of a content.
 */
import * as CacheControl from "@holdfast/core/files/CacheControl"
import * as ContentSecurity from "@holdfast/core/files/ContentSecurity"
import * as Header from "@holdfast/core/files/Header"
import * as HttpDate from "../request/HttpDate.ts"
import * as ContentDisposition from "./ContentDisposition.ts"

/** Headers by lower-case name. */
export type ResponseHeaders = Record<string, string>

/** The description of a content in its record. */
export interface ContentDescription {
  /** A strong entity tag, with its quotes. */
  readonly etag: string
  /** Epoch milliseconds. */
  readonly lastModified: number
  readonly contentType: string
  /** The size, in bytes. */
  readonly size: number
  /** The file's own headers, in the order in which they are sent. */
  readonly headers: ReadonlyArray<Header.Header>
  /** The name under which a client saves the content. */
  readonly name: string
  /** Undefined for a response without `Content-Disposition`, unless the file has its own. */
  readonly disposition: ContentDisposition.Disposition | undefined
  /** Whether the content is sent to a reader without a key, so that shared caches may store it. */
  readonly isPublic?: boolean
  /** Whether a range of HEAD gets the head of the answer to GET, as of Amazon S3. Ranges of HTTP are for GET alone (RFC 9110, 14.2). */
  readonly hasHeadRanges?: boolean
}

/**
 * The headers of a content, as a new object that the caller may change. Applied in this order:
 *
 * 1. defaults that the file's own headers may replace;
 * 2. the file's own headers;
 * 3. headers that a file cannot replace. Among them are `X-Content-Type-Options`, without which a browser could interpret
 *    the content as another type; `Referrer-Policy`, without which a page could send the key in its address to others; and
 *    `Content-Security-Policy`, which depends on the type that is finally sent. `Cache-Control` keeps those of the file's
 *    directives that permit no shared cache to store the content, unless anyone may read it.
 *
 * @param now Epoch milliseconds. `Last-Modified` is never later (RFC 9110, section 8.8.2.1).
 */
export const make = (content: ContentDescription, now: number): ResponseHeaders => {
  const headers: ResponseHeaders = {
    "content-type": content.contentType,
    "content-disposition": ""
  }
  for (const { name, value } of Header.sent(content.headers)) headers[name.toLowerCase()] = value
  if (content.disposition !== undefined) {
    headers["content-disposition"] ||= ContentDisposition.format(content.disposition, content.name)
  } else if (headers["content-disposition"] === "") delete headers["content-disposition"]
  const { forAnyone, forReaders } = CacheControl
  headers["cache-control"] = (content.isPublic === true ? forAnyone : forReaders)(headers["cache-control"])
  headers["etag"] = content.etag
  headers["last-modified"] = HttpDate.format(Math.min(content.lastModified, now))
  headers["accept-ranges"] = "bytes"
  headers["x-content-type-options"] = "nosniff"
  headers["referrer-policy"] = "no-referrer"
  headers["content-security-policy"] = ContentSecurity.policyOf(headers["content-type"] ?? "")
  return headers
}
