/**
 * Whether the path of a URL is written in the one form that routes have.
 *
 * A proxy in front of the service decides by the path that it sees: it passes `/api/` and refuses `/metrics`, for example. The
 * router also accepts `/%4detrics` and `/metrics;x`, which such a rule does not match. Therefore every other form of a path is
 * unknown: `404`. The router's configuration refuses upper case, and this module the rest.
 */

/**
 * A semicolon or a fragment, at which the router would begin the query; empty segments, at the end too; and the segments `.` and
 * `..`, which others resolve (RFC 3986, section 5.2.4).
 */
const otherForm = /[;#]|\/\/|.\/$|\/\.\.?(?:\/|$)/

/**
 * Percent-encoded unreserved characters (RFC 3986, section 2.3): letters, digits, `-`, `.`, `_` and `~`. The static parts of
 * routes consist of these, and a client never has to encode them in a parameter (section 6.2.2.2).
 */
const encodedUnreserved = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/i

/** The start of the absolute form (RFC 9112, section 3.2.2), which servers must accept. */
const origin = /^https?:\/\/[^/?#;\\]*(?=\/)/i

/** Returns the path of a URL in origin form or absolute form; undefined for any other form. */
const pathOf = (url: string): string | undefined => {
  const query = url.indexOf("?")
  const target = query < 0 ? url : url.slice(0, query)
  if (target.startsWith("/")) return target
  const match = origin.exec(target)
  return match === null ? undefined : target.slice(match[0].length)
}

/** Whether the path of a URL may match a route. */
export const isExact = (url: string): boolean => {
  const path = pathOf(url)
  return path !== undefined && !otherForm.test(path) && !(path.includes("%") && encodedUnreserved.test(path))
}
