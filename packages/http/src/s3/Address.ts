/**
 * What the address of a request names: a bucket and a key, by the path or by the host name.
 */
import { hasControls } from "@holdfast/core/Text"
import { S3Error } from "./S3Error.ts"
import * as Effect from "effect/Effect"

/** Where the S3 API answers. */
export interface Endpoint {
  /** The path below which it answers, such as `/s3`; an empty string for all paths, null for none. */
  readonly path: string | null
  /** The host name at which it answers, with buckets as its subdomains; undefined for none. */
  readonly host?: string | undefined
  /** The region that it reports for every bucket; `us-east-1` when absent. */
  readonly region?: string | undefined
}

export interface Address {
  /** An empty string for the service as a whole. */
  readonly bucket: string
  /** An empty string for the bucket as a whole. */
  readonly key: string
  /** The path as the client sent it, without the query. */
  readonly path: string
  readonly query: ReadonlyMap<string, string>
}

/** The longest key in bytes of UTF-8. */
export const maxKeyBytes = 1024

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const invalid = S3Error.of("InvalidURI")

/** Returns the parameters of a query, decoded. A repeated parameter has its first value. */
const parseQuery = (text: string): ReadonlyMap<string, string> | undefined => {
  const found = new Map<string, string>()
  for (const pair of text === "" ? [] : text.split("&")) {
    if (pair === "") continue
    const at = pair.indexOf("=")
    const name = decode((at < 0 ? pair : pair.slice(0, at)).replaceAll("+", " "))
    const value = decode((at < 0 ? "" : pair.slice(at + 1)).replaceAll("+", " "))
    if (name === undefined || value === undefined) return undefined
    if (!found.has(name)) found.set(name, value)
  }
  return found
}

/** Returns the host name without the port, in lower case. */
const hostName = (host: string): string => host.toLowerCase().replace(/:\d+$/, "")

const bucketOfHost = (host: string, { host: own }: Endpoint): string | undefined => {
  if (own === undefined) return undefined
  const name = hostName(host)
  if (name === own) return ""
  return name.endsWith(`.${own}`) ? name.slice(0, -own.length - 1) : undefined
}

/** Whether a request is for the S3 API. */
export const matches = (endpoint: Endpoint, url: string, host: string): boolean =>
  bucketOfHost(host, endpoint) !== undefined ||
  endpoint.path === "" ||
  (endpoint.path !== null && url.startsWith(endpoint.path) && ["/", "?", undefined].includes(url[endpoint.path.length]))

/** Returns the error of a key that no object can have; undefined for any other. */
export const findKeyFault = (key: string): S3Error | undefined =>
  hasControls(key) ? invalid : Buffer.byteLength(key) > maxKeyBytes ? S3Error.of("KeyTooLongError") : undefined

/** Returns what an address names. Fails with `InvalidURI`. */
export const parse = (endpoint: Endpoint, url: string, host: string): Effect.Effect<Address, S3Error> => {
  const start = url.indexOf("?")
  const path = start < 0 ? url : url.slice(0, start)
  const query = parseQuery(start < 0 ? "" : url.slice(start + 1))
  if (query === undefined) return Effect.fail(invalid)
  const fromHost = bucketOfHost(host, endpoint)
  const below = decode(fromHost === undefined ? path.slice(endpoint.path?.length) : path)
  if (below === undefined || hasControls(below)) return Effect.fail(invalid)
  const rest = below.slice(1)
  const end = rest.indexOf("/")
  const isWhole = fromHost !== undefined && fromHost !== ""
  const bucket = isWhole ? fromHost : end < 0 ? rest : rest.slice(0, end)
  const key = isWhole ? rest : end < 0 ? "" : rest.slice(end + 1)
  const fault = findKeyFault(key)
  return fault === undefined ? Effect.succeed({ bucket, key, path, query }) : Effect.fail(fault)
}
