/**
 * What every operation of the contract says of itself, and the shapes that several share.
 */
import type { Permission } from "@holdfast/core/Permission"
import * as Context from "effect/Context"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Problem from "../problems/Problem.ts"
import type { ProblemCode } from "../problems/ProblemTable.ts"

/** The permission that a caller needs in the tenant of the path. */
export class RequiredPermission extends Context.Service<RequiredPermission, Permission>()(
  "@holdfast/http/contract/RequiredPermission"
) {}

/** Whether an operation is for accounts, and for API tokens only where the deployment allows it. */
export const ForAccounts = Context.Reference<boolean>("@holdfast/http/contract/ForAccounts", {
  defaultValue: () => false
})

/** Annotations of an operation: its documentation, and the permission that it asks for, where it asks for one. */
export const describe = (about: {
  readonly summary: string
  readonly description?: string
  readonly permission?: Permission
}): Context.Context<never> => {
  const { description, permission, summary } = about
  const needs = permission === undefined ? undefined : `Needs the permission \`${permission}\`.`
  const documentation = OpenApi.annotations({
    summary,
    description: [description, needs].filter((part) => part !== undefined).join("\n\n"),
    ...(permission === undefined ? undefined : { override: { "x-permission": permission } })
  })
  return permission === undefined ? documentation : Context.add(documentation, RequiredPermission, permission)
}

/** The problems that an operation may answer with, besides those of the middleware before it. */
export const problems = <Code extends ProblemCode>(
  ...codes: ReadonlyArray<Code>
): ReadonlyArray<Problem.Schemas[Code]> => codes.map(Problem.schemaOf)

/**
 * Schemas of bodies are what the wire carries already. Effect's own JSON codecs would also take null for any optional
 * field, which is a wrong type here: operations with a body say `disableCodecs`.
 */

/** `201` with the record that came to be, and where it is. */
export const created = <S extends Schema.Top>(record: S) =>
  HttpApiSchema.WithHeaders(record.pipe(HttpApiSchema.status(201)), {
    location: Schema.String.annotate({ description: "Where the record is." })
  })

/** An optional text, such as a header's value. */
export const text = (description: string) => Schema.optional(Schema.String).annotate({ description })

/** `true` or `1`, `false` or `0`. */
export const Flag = Schema.Literals(["true", "1", "false", "0"]).pipe(
  Schema.decodeTo(
    Schema.Boolean,
    SchemaTransformation.transform({
      decode: (text) => text === "true" || text === "1",
      encode: (flag) => (flag ? ("true" as const) : ("false" as const))
    })
  )
)

/** The parameters of every list. */
export const page = {
  limit: Schema.optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }))).annotate({
    description: "How many items at most; 100 when absent."
  }),
  cursor: Schema.optional(Schema.String).annotate({ description: "The `nextCursor` of the page before." })
}

/** For removals that take what is inside with them. */
export const force = {
  force: Schema.optional(Flag).annotate({ description: "Removes it with everything inside." })
}
