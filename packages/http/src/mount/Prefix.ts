/**
 * The path prefix under which a host mounts the API.
 */

/** Returns a prefix with a leading slash and without trailing ones; an empty string for none. Throws a `TypeError`. */
export const normalize = (prefix: string): string => {
  const path = prefix.replace(/\/+$/, "")
  if (path !== "" && !/^\/[^?#]*$/.test(path))
    throw new TypeError(`prefix must be a path such as "/files", got "${prefix}"`)
  return path
}

/** A URL that no route of the API matches. */
const unmatchedUrl = "/"

/** Removes the prefix from a URL and keeps its query. Returns a URL without a route if the prefix does not match. */
export const strip = (prefix: string, url: string): string => {
  if (prefix === "") return url
  return url.startsWith(prefix) && url[prefix.length] === "/" ? url.slice(prefix.length) : unmatchedUrl
}
