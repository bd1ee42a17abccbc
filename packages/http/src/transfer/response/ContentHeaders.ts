/**
 * The headers that a content is sent with. They are built anew for each response, so whoever gets them owns them.
 */
import type { Header } from "@holdfast/core/headers/Header"
import * as ContentDisposition from "./ContentDisposition.ts"
import * as ContentSecurity from "./ContentSecurity.ts"
import * as HttpDate from "../request/HttpDate.ts"

/** By lower-case name. */
export type ResponseHeaders = Record<string, string>

export interface ContentDescription {
  /** Strong, with its quotes. */
  readonly etag: string
  /** Epoch milliseconds. */
  readonly lastModified: number
  readonly contentType: string
  /** The file's own headers, in the order in which they are to be sent. */
  readonly headers: ReadonlyArray<Header>
  readonly name: string
  readonly disposition: ContentDisposition.Disposition
}

/**
 * Contents are found by a caller's key, so no shared cache may keep them; a private one may, but asks each time
 * whether the content and the key still stand.
 */
const cacheControl = "private, no-cache"

/**
 * The headers of a content, first those that a file may replace, then its own, then those that it may not:
 *
 * - `Content-Security-Policy: sandbox; …` by the type that is finally sent;
 * - `X-Content-Type-Options` and `Referrer-Policy`, without which a content could be taken for another type or the key
 *   in its address be told to others.
 *
 * @param now Epoch milliseconds. `Last-Modified` never lies ahead of it (RFC 9110, section 8.8.2.1).
 */
export const make = (content: ContentDescription, now: number): ResponseHeaders => {
  const headers: ResponseHeaders = {
    "content-type": content.contentType,
    "content-disposition": "",
    "cache-control": cacheControl
  }
  for (const { name, value } of content.headers) headers[name.toLowerCase()] = value
  headers["content-disposition"] ||= ContentDisposition.format(content.disposition, content.name)
  headers["etag"] = content.etag
  headers["last-modified"] = HttpDate.format(Math.min(content.lastModified, now))
  headers["accept-ranges"] = "bytes"
  headers["x-content-type-options"] = "nosniff"
  headers["referrer-policy"] = "no-referrer"
  if (ContentSecurity.isSandboxed(headers["content-type"] ?? "")) {
    headers["content-security-policy"] = ContentSecurity.policy
  }
  return headers
}
