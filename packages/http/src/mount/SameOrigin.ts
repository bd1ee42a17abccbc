/**
 * Protects sessions of a host against requests that another web site makes in the name of a visitor (cross-site request
 * forgery). A browser adds the host's cookies to such a request. An API key is no cookie: requests with a key need no check.
 */
import { InvalidRequest } from "@holdfast/core/Errors"
import * as Data from "effect/Data"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"

/** A page of another origin made the request, by the session of a visitor. */
export class CrossOriginRequest extends Data.TaggedError("CrossOriginRequest")<{}> {
  readonly code = "forbidden"
  override readonly message =
    "A page of another origin made this request by a session, which may not change anything. Use an API key, or add the " +
    "origin to the trustedOrigins of the host."
}

/** Methods that change nothing (RFC 9110, section 9.2.1). */
const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE"])

const defaultPort = /:(?:80|443)$/

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "").replace(defaultPort, "")

/** The host and port that the client requested. A web `Request` may have no `Host`. */
const requestedHost = ({ headers, source }: HttpServerRequest): string =>
  headers["host"]?.toLowerCase().replace(defaultPort, "") ?? (source instanceof Request ? hostOf(source.url) : "")

/**
 * Returns whether a page of the same origin made the request; undefined when no current browser sent it. Browsers send
 * `Sec-Fetch-Site` (Fetch Metadata, section 2.4) to secure origins, and `Origin` (Fetch, section 3.2) with every request that
 * may change something. Pages cannot set these headers.
 */
const isSameOrigin = (request: HttpServerRequest, trustedOrigins: ReadonlySet<string>): boolean | undefined => {
  const { origin, "sec-fetch-site": site } = request.headers
  if (origin !== undefined && trustedOrigins.has(origin)) return true
  // `none`: the visitor made the request, for example by a bookmark.
  if (site !== undefined) return site === "same-origin" || site === "none"
  return origin === undefined ? undefined : hostOf(origin) !== "" && hostOf(origin) === requestedHost(request)
}

/**
 * Returns why a request with a session may not be handled; undefined when it may.
 *
 * A request without any trace of a page's origin must have a `Content-Type` or `X-Requested-With`. Pages of other origins cannot
 * send the second one, and cannot send the first one with a request that has no body, such as a `DELETE` that another
 * component of the host makes from the `POST` of a form.
 *
 * @param trustedOrigins Other origins whose pages may change something, as browsers send them: `https://app.example.com`.
 */
export const findFault = (
  request: HttpServerRequest,
  trustedOrigins: ReadonlySet<string>
): CrossOriginRequest | InvalidRequest | undefined => {
  if (safeMethods.has(request.method)) return undefined
  const isSame = isSameOrigin(request, trustedOrigins)
  if (isSame !== undefined) return isSame ? undefined : new CrossOriginRequest()
  const { "content-type": type, "x-requested-with": requestedWith } = request.headers
  return type === undefined && requestedWith === undefined
    ? new InvalidRequest({
        message: "A request by a session that changes something needs a Content-Type or X-Requested-With header.",
        errors: []
      })
    : undefined
}
