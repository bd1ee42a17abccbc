/**
 * Finds the API key in a request: in `?apiKey=`, `Authorization: Bearer` or `X-Api-Key`.
 */
import * as Data from "effect/Data"
import * as Result from "effect/Result"

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

const bearerToken = (authorization: string | undefined): string | undefined =>
  authorization === undefined ? undefined : bearer.exec(authorization)?.[1]

/** The key, undefined when there is none. An empty one is none; the same one in two places is one. */
export const find = (
  query: Query,
  headers: Headers
): Result.Result<string | undefined, AmbiguousKey> => {
  const { apiKey } = query
  const given = [
    ...(typeof apiKey === "object" ? apiKey : [apiKey]),
    bearerToken(headers["authorization"]),
    headers["x-api-key"]
  ].filter((key) => key !== undefined && key !== "")
  return given.some((key) => key !== given[0]) ? Result.fail(new AmbiguousKey()) : Result.succeed(given[0])
}
