/**
 * Decodes input from callers. Reports every fault at once, each with a pointer to its field.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as Bounds from "./Bounds.ts"
import { type Fault, InvalidRequest } from "./Errors.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const escapeToken = (key: PropertyKey): string => String(key).replaceAll("~", "~0").replaceAll("/", "~1")

/** The most faults that an error lists. */
export const maxFaults = 100
/** The longest pointer and the longest detail of a fault, in characters. Both may contain text of the caller. */
const maxText = 400

const shorten = (text: string): string =>
  (text.length <= maxText ? text : `${text.slice(0, maxText - 1)}…`).toWellFormed()

const pointerTo = (path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }>): string =>
  path.map((step) => `/${escapeToken(typeof step === "object" ? step.key : step)}`).join("")

/**
 * Converts a schema issue to the error for the caller: its faults with JSON Pointers (RFC 6901), at most `maxFaults` of them.
 */
export const toInvalidRequest = (issue: SchemaIssue.Issue): InvalidRequest => {
  const { issues } = format(issue)
  const errors = issues
    .slice(0, maxFaults)
    .map(({ message, path = [] }): Fault => ({ pointer: shorten(pointerTo(path)), detail: shorten(message) }))
  return InvalidRequest.of(errors, { omitted: issues.length - errors.length })
}

/**
 * Returns a decoder for a schema. It converts unknown input to a typed value, or fails with `InvalidRequest`. It ignores
 * fields that the schema does not define. Arrays and records above their bounds are refused before their items are decoded.
 */
export const decoder = <A, E>(schema: Schema.Codec<A, E>): ((input: unknown) => Effect.Effect<A, InvalidRequest>) => {
  const decode = Schema.decodeUnknownEffect(schema, { errors: "all" })
  const bounds = Bounds.finder(schema)
  return (input) => {
    const excess = bounds?.findExcess(input)
    return excess === undefined
      ? Effect.mapError(decode(input), (error) => toInvalidRequest(error.issue))
      : Effect.fail(InvalidRequest.at(excess.pointer, excess.detail))
  }
}
