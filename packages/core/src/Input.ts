/**
 * Decodes input from callers. Reports every fault at once, each with a pointer to its field.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as Bounds from "./Bounds.ts"
import { type Fault, InvalidRequest } from "./Errors.ts"
import { pointerTo, shorten } from "./inputs/Faults.ts"
import * as UnknownFields from "./inputs/UnknownFields.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** The most faults that an error lists. */
export const maxFaults = 100

/**
 * Converts a schema issue to the error for the caller: its faults with JSON Pointers (RFC 6901), at most `maxFaults` of them.
 */
export const toInvalidRequest = (issue: SchemaIssue.Issue): InvalidRequest => {
  const { issues } = format(issue)
  const errors = issues
    .slice(0, maxFaults)
    .map(({ message, path = [] }): Fault => ({ pointer: pointerTo(path), detail: shorten(message) }))
  return InvalidRequest.of(errors, { omitted: issues.length - errors.length })
}

/**
 * Returns a decoder for a schema. It converts unknown input to a typed value, or fails with `InvalidRequest`. It ignores
 * fields that the schema does not define, except those that `UnknownFields` refuses. Arrays and records above their bounds are refused before their items are decoded.
 */
export const decoder = <A, E>(schema: Schema.Codec<A, E>): ((input: unknown) => Effect.Effect<A, InvalidRequest>) => {
  const decode = Schema.decodeUnknownEffect(schema, { errors: "all" })
  const bounds = Bounds.finder(schema)
  const findUnknown = UnknownFields.finder(schema)
  return (input) => {
    const excess = bounds?.findExcess(input)
    if (excess !== undefined) return Effect.fail(InvalidRequest.at(excess.pointer, excess.detail))
    const unknown = findUnknown?.(input) ?? []
    return unknown.length === 0
      ? Effect.mapError(decode(input), (error) => toInvalidRequest(error.issue))
      : Effect.fail(InvalidRequest.of(unknown))
  }
}
