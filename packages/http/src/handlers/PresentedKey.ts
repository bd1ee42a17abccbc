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

/** The key, empty when there is none. An empty one is none; the same one in two places is one. */
export const find = ({ apiKey = "" }: Query, headers: Headers): string | AmbiguousKey => {
  let found = ""
  let isAmbiguous = false
  const see = (key: string): void => {
    if (key === "") return
    isAmbiguous ||= found !== "" && found !== key
    found ||= key
  }
  if (typeof apiKey === "string") see(apiKey)
  else apiKey.forEach(see)
  see(bearerToken(headers["authorization"]))
  see(headers["x-api-key"] ?? "")
  return isAmbiguous ? new AmbiguousKey() : found
}
