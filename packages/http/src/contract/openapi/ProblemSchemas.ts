/**
 * The problems of the document: one schema for each code, derived from the problem table.
 */
import * as Input from "@holdfast/core/Input"
import { ShareLimit } from "@holdfast/core/files/shares/Share"
import * as Permission from "@holdfast/core/Permission"
import type { JsonSchema } from "effect/JsonSchema"
import * as DraftTypes from "../../problems/DraftTypes.ts"
import { codes, entryOf, type ProblemCode } from "../../problems/ProblemTable.ts"
import { typeOf } from "../../problems/Problem.ts"

/** The name of the schema of a problem. */
export const nameOf = (code: ProblemCode): string => `Problem_${code}`

/** The code of the problem that a generated reference points to; undefined for any other reference. */
export const codeOf = (ref: string): ProblemCode | undefined =>
  codes.find((code) => ref === `#/components/schemas/${nameOf(code)}Encoded`)

const extensions = {
  errors: {
    type: "array",
    maxItems: Input.maxFaults,
    description:
      "The faults of the request: where (a JSON Pointer, RFC 6901) and what. `detail` says if there are more.",
    items: { $ref: "#/components/schemas/Fault" }
  },
  created: { $ref: "#/components/schemas/CreatedResources" },
  quota: {
    type: "object",
    description: "The limit that would be exceeded, and what its owner uses.",
    properties: {
      owner: { enum: ["tenant", "bucket"] },
      limit: { type: "string", description: "What the limit counts, such as `bytes` or `files`." },
      maximum: { type: "integer" },
      use: { type: "integer" }
    },
    required: ["owner", "limit", "maximum", "use"]
  },
  limit: { enum: [...ShareLimit.literals], description: "The limit of the share that is reached." },
  existingId: { type: "string", description: "The id of the record that causes the conflict, if the key may see it." },
  permission: {
    enum: Permission.all,
    description: "The permission that is missing; absent where neither a role nor a scope would permit the operation."
  },
  reason: {
    type: "string",
    description: "The reason, for programs.",
    enum: ["NotFound", "Denied", "Refused", "Unavailable", "Full", "Invalid", "Damaged", "Internal"]
  }
}

/** The members that not every problem of the code has. */
const optional: ReadonlySet<string> = new Set(["existingId", "permission"])

/** The schema of the `type` of problems with a code. */
const typeSchema = (code: ProblemCode): JsonSchema => {
  const others = DraftTypes.byCode[code]
  return others === undefined ? { const: typeOf(code) } : { enum: [typeOf(code), ...others] }
}

const schemaOf = (code: ProblemCode): JsonSchema => {
  const { extension, status, title } = entryOf(code)
  return {
    type: "object",
    description: `${title} (RFC 9457).`,
    properties: {
      type: typeSchema(code),
      title: { const: title },
      status: { const: status },
      detail: { type: "string", description: "A description of this occurrence for people." },
      code: { const: code },
      requestId: { type: "string", description: "The id of the request, as in `X-Request-Id`." },
      ...(extension === undefined ? undefined : { [extension]: extensions[extension] })
    },
    required: [
      "type",
      "title",
      "status",
      "detail",
      "code",
      "requestId",
      ...(extension === undefined || optional.has(extension) ? [] : [extension])
    ]
  }
}

/** The schemas of the problems with these codes, by name. */
export const schemas = (used: ReadonlyArray<ProblemCode>): Record<string, JsonSchema> =>
  Object.fromEntries(used.map((code) => [nameOf(code), schemaOf(code)]))

/** The response of an operation with these problems, which have the same status. */
export const response = (
  of: ReadonlyArray<ProblemCode>
): { readonly description: string; readonly schema: JsonSchema } => {
  const refs = of.map((code) => ({ $ref: `#/components/schemas/${nameOf(code)}` }))
  return {
    description: of.map((code) => `\`${code}\`: ${entryOf(code).title}.`).join(" "),
    schema: refs.length === 1 ? { ...refs[0] } : { oneOf: refs }
  }
}
