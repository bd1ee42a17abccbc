/**
 * Cross-origin requests (the Fetch standard's CORS protocol), answered before routing and set on Node's own response:
 * so every response carries the headers, also an error's and those of the data plane that bypass the framework.
 *
 * Credentials are never allowed, since a key is no cookie.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import * as RequestId from "../../problems/RequestId.ts"

export interface Cors {
  /** Sets what the response needs. True when this was a preflight, which then has been answered. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => boolean
}

const allowedMethods = "GET, HEAD, POST, PATCH, PUT, DELETE"

/** What scripts may read beyond the names that are always readable. */
const exposedHeaders = [
  "Accept-Ranges",
  "Allow",
  "Content-Disposition",
  "Content-Range",
  "ETag",
  "Location",
  "Preference-Applied",
  "Repr-Digest",
  "Retry-After",
  "WWW-Authenticate",
  "X-Request-Id"
].join(", ")

/** How long a browser may remember a preflight, in seconds; two hours is the most that one of them accepts. */
const maxAge = "7200"

/** `origins`: as a browser sends them, such as `https://app.example.com`; `*` stands for any. */
export const make = (origins: ReadonlyArray<string>): Cors | undefined => {
  if (origins.length === 0) return undefined
  const any = origins.includes("*")
  const known = new Set(origins)

  const preflight = (request: IncomingMessage, response: ServerResponse, isAllowed: boolean): void => {
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
      // Also without an Origin: a cache must not hand this response to a request that has one.
      if (!any) response.setHeader("Vary", "Origin")
      if (origin === undefined) return false
      const isAllowed = any || known.has(origin)
      if (isAllowed) response.setHeader("Access-Control-Allow-Origin", any ? "*" : origin)
      if (request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined) {
        preflight(request, response, isAllowed)
        return true
      }
      if (isAllowed) response.setHeader("Access-Control-Expose-Headers", exposedHeaders)
      return false
    }
  }
}
