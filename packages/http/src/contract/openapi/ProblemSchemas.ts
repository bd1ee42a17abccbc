/**
 * The problems of the document: one schema for each code, made from the table.
 */
import type { JsonSchema } from "effect/JsonSchema"
import { codes, entryOf, type ProblemCode } from "../../problems/ProblemTable.ts"
import { typeOf } from "../../problems/Problem.ts"

/** The name of a problem's schema. */
export const nameOf = (code: ProblemCode): string => `Problem_${code}`

/** The code that a generated reference is of, undefined for another reference. */
export const codeOf = (ref: string): ProblemCode | undefined =>
  codes.find((code) => ref === `#/components/schemas/${nameOf(code)}Encoded`)

const extensions = {
  errors: {
    type: "array",
    description: "Every fault that was found: where (a JSON Pointer, RFC 6901) and what.",
    items: { $ref: "#/components/schemas/Fault" }
  },
  existingId: { type: "string", description: "The id of what stands in the way." },
  reason: {
    type: "string",
    description: "Why, for programs.",
    enum: ["NotFound", "Denied", "Refused", "Unavailable", "Full", "Invalid", "Damaged", "Internal"]
  }
}

const schemaOf = (code: ProblemCode): JsonSchema => {
  const { extension, status, title } = entryOf(code)
  return {
    type: "object",
    description: `${title} (RFC 9457).`,
    properties: {
      type: { const: typeOf(code) },
      title: { const: title },
      status: { const: status },
      detail: { type: "string", description: "This occurrence in words." },
      code: { const: code },
      requestId: { type: "string", description: "As in `X-Request-Id`." },
      ...(extension === undefined ? undefined : { [extension]: extensions[extension] })
    },
    required: [
      "type",
      "title",
      "status",
      "detail",
      "code",
      "requestId",
      ...(extension === undefined ? [] : [extension])
    ]
  }
}

/** The schemas of these problems, by name. */
export const schemas = (used: ReadonlyArray<ProblemCode>): Record<string, JsonSchema> =>
  Object.fromEntries(used.map((code) => [nameOf(code), schemaOf(code)]))

/** What a status of an operation says: its problems, each with its code. */
export const response = (
  of: ReadonlyArray<ProblemCode>
): { readonly description: string; readonly schema: JsonSchema } => {
  const refs = of.map((code) => ({ $ref: `#/components/schemas/${nameOf(code)}` }))
  return {
    description: of.map((code) => `\`${code}\`: ${entryOf(code).title}.`).join(" "),
    schema: refs.length === 1 ? { ...refs[0] } : { oneOf: refs }
  }
}
