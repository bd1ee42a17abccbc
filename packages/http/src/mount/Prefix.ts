/**
 * The path under which a host mounts the API.
 */

/** As it is compared: with a leading slash, without a trailing one; empty for none. */
export const normalize = (prefix: string): string => {
  const path = prefix.replace(/\/+$/, "")
  if (path !== "" && !/^\/[^?#]*$/.test(path))
    throw new TypeError(`prefix must be a path such as "/files", got "${prefix}"`)
  return path
}

/** An address that leads to nothing, wherever the API is mounted. */
const elsewhere = "/"

/** The address below the prefix, with its query. One that is not below it leads to nothing. */
export const strip = (prefix: string, url: string): string => {
  if (prefix === "") return url
  return url.startsWith(prefix) && url[prefix.length] === "/" ? url.slice(prefix.length) : elsewhere
}
