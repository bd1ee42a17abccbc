/**
 * Finds the API key in a request: in `?apiKey=`, `Authorization: Bearer` or `X-Api-Key`.
 */
import * as Data from "effect/Data"

/** Two places carry keys that differ: whose request this is cannot be told. */
export class AmbiguousKey extends Data.TaggedError("AmbiguousKey")<{}> {
  readonly code = "ambiguous_key"
  override readonly message = "The request carries two different API keys."
}

interface Query {
  readonly [name: string]: string | ReadonlyArray<string> | undefined
}

interface Headers {
  readonly [name: string]: string | undefined
}

/** RFC 6750, section 2.1; the name of a scheme is case-insensitive (RFC 9110, section 11.1). */
const bearer = /^bearer +([^ ]+) *$/i

const bearerToken = (authorization: string | undefined): string =>
  (authorization === undefined ? undefined : bearer.exec(authorization)?.[1]) ?? ""

const each = ({ apiKey = "" }: Query, headers: Headers, use: (key: string) => void): void => {
  const see = (key: string): void => {
    if (key !== "") use(key)
  }
  if (typeof apiKey === "string") see(apiKey)
  else apiKey.forEach(see)
  see(bearerToken(headers["authorization"]))
  see(headers["x-api-key"] ?? "")
}

/** The key, empty when there is none. An empty one is none; the same one in two places is one. */
export const find = (query: Query, headers: Headers): string | AmbiguousKey => {
  let found = ""
  let isAmbiguous = false
  each(query, headers, (key) => {
    isAmbiguous ||= found !== "" && found !== key
    found ||= key
  })
  return isAmbiguous ? new AmbiguousKey() : found
}

/** All keys, each once. */
export const all = (query: Query, headers: Headers): ReadonlyArray<string> => {
  const found = new Set<string>()
  each(query, headers, (key) => found.add(key))
  return [...found]
}
