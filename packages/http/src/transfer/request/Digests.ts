/**
 * The digests that a request declares for its content (RFC 9530): dictionaries of byte sequences in the syntax of
 * Structured Fields (RFC 9651).
 */
import { InvalidRequest } from "@holdfast/core/Errors"
import * as Effect from "effect/Effect"
import type { RequestHeaders } from "./EntityTags.ts"

const key = "[a-z*][a-z0-9_.*-]*"
const string = '"(?:[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\["\\\\])*"'
const token = "[A-Za-z*][!#$%&'*+\\-.^_`|~0-9A-Za-z:/]*"
const bytes = ":[A-Za-z0-9+/]*={0,2}:"
const bareItem = `(?:-?\\d{1,15}(?:\\.\\d{1,3})?|@-?\\d{1,15}|${string}|${token}|${bytes}|\\?[01])`
const parameters = `(?:; *${key}(?:=${bareItem})?)*`
/** One member of the dictionary: its name, its bytes, its parameters (which have no meaning here), and the next comma. */
const member = new RegExp(`(${key})=(${bytes})${parameters}[ \\t]*(,[ \\t]*|$)`, "y")

interface Digest {
  /** Hexadecimal. */
  readonly sha256: string | undefined
}

/** Parses one header. Returns undefined when it is malformed. The last of several members of one name counts. */
const parse = (field: string): Digest | undefined => {
  let sha256: string | undefined
  let afterComma = false
  member.lastIndex = 0
  while (member.lastIndex < field.length) {
    const match = member.exec(field)
    if (match === null) return undefined
    const [, algorithm, sequence = "", comma] = match
    afterComma = comma !== ""
    if (algorithm !== "sha-256") continue
    const digest = Buffer.from(sequence.slice(1, -1), "base64")
    if (digest.length !== 32) return undefined
    sha256 = digest.toString("hex")
  }
  return afterComma ? undefined : { sha256 }
}

const decode = (headers: RequestHeaders, name: string): Effect.Effect<string | undefined, InvalidRequest> => {
  const header = headers[name.toLowerCase()]
  if (header === undefined) return Effect.undefined
  const digest = parse(header)
  return digest === undefined
    ? Effect.fail(
        InvalidRequest.at("", `the header ${name} must be a dictionary of digests, for example sha-256=:<base64>:`)
      )
    : Effect.succeed(digest.sha256)
}

/**
 * The SHA-256 that `Repr-Digest` or `Content-Digest` declares, in hexadecimal; undefined when neither header does. Other
 * algorithms are ignored, as RFC 9530 allows. Fails with `InvalidRequest` when a header is malformed, and when the two
 * headers declare different digests: at most one of them could match.
 */
export const declaredSha256 = (headers: RequestHeaders): Effect.Effect<string | undefined, InvalidRequest> =>
  Effect.flatMap(
    Effect.all([decode(headers, "Repr-Digest"), decode(headers, "Content-Digest")]),
    ([representation, content]) =>
      representation !== undefined && content !== undefined && representation !== content
        ? Effect.fail(InvalidRequest.at("", "the headers Repr-Digest and Content-Digest must declare the same digest"))
        : Effect.succeed(representation ?? content)
  )
