/**
 * Decodes input from callers. Reports every fault at once, each with a pointer to its field.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { type Fault, InvalidRequest } from "./Errors.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const escapeToken = (key: PropertyKey): string => String(key).replaceAll("~", "~0").replaceAll("/", "~1")

/** Converts a schema issue to faults. Their JSON Pointers (RFC 6901) begin with `base`. */
export const toFaults = (issue: SchemaIssue.Issue, base = ""): ReadonlyArray<Fault> =>
  format(issue).issues.map(({ message, path }) => ({
    pointer: (path ?? []).reduce<string>((pointer, step) => {
      const key = typeof step === "object" ? step.key : step
      return `${pointer}/${escapeToken(key)}`
    }, base),
    detail: message
  }))

/** Converts a schema issue to the error for the caller. */
export const toInvalidRequest = (issue: SchemaIssue.Issue, base = ""): InvalidRequest =>
  new InvalidRequest({ message: "The request is not valid.", errors: toFaults(issue, base) })

/**
 * Returns a decoder for a schema. It converts unknown input to a typed value, or fails with `InvalidRequest`. It ignores
 * fields that the schema does not define.
 */
export const decoder = <A, E>(schema: Schema.Codec<A, E>): ((input: unknown) => Effect.Effect<A, InvalidRequest>) => {
  const decode = Schema.decodeUnknownEffect(schema, { errors: "all" })
  return (input) => Effect.mapError(decode(input), (error) => toInvalidRequest(error.issue))
}
