/**
 * Lists of entity tags in `If-Match` and `If-None-Match` (RFC 9110, sections 8.8.3 and 13.1).
 */
import { InvalidRequest } from "@holdfast/core/Errors"
import type * as Precondition from "@holdfast/core/files/Precondition"
import * as Effect from "effect/Effect"

/** Request headers by lower-case name; several headers of one name are joined by commas. */
export interface RequestHeaders {
  readonly [name: string]: string | undefined
}

/** `W/` is case-sensitive. A tag may contain commas. */
const entityTag = '(?:W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"'
const element = new RegExp(`[ \\t]*(?:(${entityTag})[ \\t]*)?(?:,|$)`, "y")
const single = new RegExp(`^${entityTag}$`)

/** Whether a text is a single entity tag, weak or strong. */
export const isEntityTag = (text: string): boolean => single.test(text)

/** Parses a list of tags, or `*`. Returns undefined when it is malformed. Skips empty elements (section 5.6.1.2). */
export const parse = (header: string): Precondition.Tags | undefined => {
  if (header === "*") return "*"
  const tags: Array<string> = []
  element.lastIndex = 0
  while (element.lastIndex < header.length) {
    const match = element.exec(header)
    if (match === null) return undefined
    if (match[1] !== undefined) tags.push(match[1])
  }
  return tags.length === 0 ? undefined : tags
}

const decode = (
  headers: RequestHeaders,
  name: "If-Match" | "If-None-Match"
): Effect.Effect<Precondition.Tags | undefined, InvalidRequest> => {
  const header = headers[name.toLowerCase()]
  if (header === undefined) return Effect.undefined
  const tags = parse(header)
  return tags === undefined
    ? Effect.fail(InvalidRequest.at("", `the header ${name} must be * or a list of quoted entity tags`))
    : Effect.succeed(tags)
}

/**
 * The conditions of a request that changes a content. Fails with `InvalidRequest` when a header is malformed: to ignore it
 * could overwrite a content that the client meant to keep.
 */
export const precondition = (headers: RequestHeaders): Effect.Effect<Precondition.Precondition, InvalidRequest> =>
  Effect.all({ ifMatch: decode(headers, "If-Match"), ifNoneMatch: decode(headers, "If-None-Match") })
