/**
 * Decoding of what callers hand in: every fault at once, each with the pointer of the field it concerns.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { type Fault, InvalidRequest } from "./Errors.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const escapeToken = (key: PropertyKey): string => String(key).replaceAll("~", "~0").replaceAll("/", "~1")

/** The faults of a schema issue as JSON Pointers (RFC 6901), below `base`. */
export const toFaults = (issue: SchemaIssue.Issue, base = ""): ReadonlyArray<Fault> =>
  format(issue).issues.map(({ message, path }) => ({
    pointer: (path ?? []).reduce<string>((pointer, step) => {
      const key = typeof step === "object" ? step.key : step
      return `${pointer}/${escapeToken(key)}`
    }, base),
    detail: message
  }))

/** A schema issue as the error that callers see. */
export const toInvalidRequest = (issue: SchemaIssue.Issue, base = ""): InvalidRequest =>
  new InvalidRequest({ message: "The request is not valid.", errors: toFaults(issue, base) })

/**
 * A decoder for one schema: unknown input in, a typed value or `InvalidRequest` out. Fields that the schema does not
 * know are ignored.
 */
export const decoder = <A, E>(schema: Schema.Codec<A, E>): ((input: unknown) => Effect.Effect<A, InvalidRequest>) => {
  const decode = Schema.decodeUnknownEffect(schema, { errors: "all" })
  return (input) => Effect.mapError(decode(input), (error) => toInvalidRequest(error.issue))
}
