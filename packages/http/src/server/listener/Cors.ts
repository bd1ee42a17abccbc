/**
 * Cross-origin requests (the CORS protocol of the Fetch standard). Preflights are answered before routing, and headers
 * are set on Node's own response. So every response carries them, also errors and contents that bypass the framework.
 *
 * Credentials are never allowed, because API keys are not cookies.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import * as RequestId from "../../problems/RequestId.ts"

export interface Cors {
  /** Sets the CORS headers of a response. Returns true if the request was a preflight, which it has then answered. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => boolean
}

const allowedMethods = "GET, HEAD, POST, PATCH, PUT, DELETE"

/** The response headers that scripts may read besides those that are always readable. */
const exposedHeaders = [
  "Accept-Ranges",
  "Allow",
  "Content-Disposition",
  "Content-Range",
  "ETag",
  "Holdfast-File-Id",
  "Location",
  "Preference-Applied",
  "RateLimit",
  "RateLimit-Policy",
  "Repr-Digest",
  "Retry-After",
  "Tus-Checksum-Algorithm",
  "Tus-Extension",
  "Tus-Max-Size",
  "Tus-Resumable",
  "Tus-Version",
  "Upload-Complete",
  "Upload-Concat",
  "Upload-Defer-Length",
  "Upload-Expires",
  "Upload-Length",
  "Upload-Limit",
  "Upload-Metadata",
  "Upload-Offset",
  "WWW-Authenticate",
  "X-Request-Id"
].join(", ")

/** How long a browser may cache a preflight, in seconds. Chromium caps it at two hours. */
const maxAge = "7200"

/**
 * Returns the CORS handling for these origins, or undefined for none.
 *
 * @param origins As browsers send them, such as `https://app.example.com`; `*` allows every origin.
 */
export const make = (origins: ReadonlyArray<string>): Cors | undefined => {
  if (origins.length === 0) return undefined
  const isAny = origins.includes("*")
  const allowed = new Set(origins)

  const answerPreflight = (request: IncomingMessage, response: ServerResponse, isAllowed: boolean): void => {
    if (isAllowed) {
      response.setHeader("Access-Control-Allow-Methods", allowedMethods)
      const headers = request.headers["access-control-request-headers"]
      if (headers !== undefined) response.setHeader("Access-Control-Allow-Headers", headers)
      response.setHeader("Access-Control-Max-Age", maxAge)
    }
    response.setHeader("Vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers")
    response.setHeader("Referrer-Policy", "no-referrer")
    response.setHeader(RequestId.header, request.headers[RequestId.header] ?? "")
    response.writeHead(204).end()
  }

  return {
    handle: (request, response) => {
      const { origin } = request.headers
      // Set without an Origin, too: a cache must not reuse this response for a request that has one.
      if (!isAny) response.setHeader("Vary", "Origin")
      if (origin === undefined) return false
      const isAllowed = isAny || allowed.has(origin)
      if (isAllowed) response.setHeader("Access-Control-Allow-Origin", isAny ? "*" : origin)
      if (request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined) {
        answerPreflight(request, response, isAllowed)
        return true
      }
      if (isAllowed) response.setHeader("Access-Control-Expose-Headers", exposedHeaders)
      return false
    }
  }
}
