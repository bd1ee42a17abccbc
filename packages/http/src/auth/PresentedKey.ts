/**
 * Finds the API keys that a request presents, in `?apiKey=`, `Authorization: Bearer` and `X-Api-Key`. It checks neither
 * their format nor their validity.
 */
import * as Data from "effect/Data"

/** The request presents two different keys, so its actor is not defined. */
export class AmbiguousKey extends Data.TaggedError("AmbiguousKey")<{}> {
  readonly code = "ambiguous_key"
  override readonly message = "The request carries two different API keys. Send one."
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

/** Calls `use` with each key that is not empty. */
const forEachKey = ({ apiKey = "" }: Query, headers: Headers, use: (key: string) => void): void => {
  const useIfPresent = (key: string): void => {
    if (key !== "") use(key)
  }
  if (typeof apiKey === "string") useIfPresent(apiKey)
  else apiKey.forEach(useIfPresent)
  useIfPresent(bearerToken(headers["authorization"]))
  useIfPresent(headers["x-api-key"] ?? "")
}

/** Returns the key of a request, or an empty string for none. The same key in several places counts as one. */
export const findOne = (query: Query, headers: Headers): string | AmbiguousKey => {
  let found = ""
  let isAmbiguous = false
  forEachKey(query, headers, (key) => {
    isAmbiguous ||= found !== "" && found !== key
    found ||= key
  })
  return isAmbiguous ? new AmbiguousKey() : found
}

/** Returns all different keys of a request. */
export const findAll = (query: Query, headers: Headers): ReadonlyArray<string> => {
  const found = new Set<string>()
  forEachKey(query, headers, (key) => found.add(key))
  return [...found]
}
