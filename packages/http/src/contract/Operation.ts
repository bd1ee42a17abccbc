/**
 * The annotations that every operation of the contract has, and the schemas that several operations share.
 */
import type { Permission } from "@holdfast/core/Permission"
import * as Context from "effect/Context"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Problem from "../problems/Problem.ts"
import type { ProblemCode } from "../problems/ProblemTable.ts"

/** The permission that an operation requires in the tenant of its path. */
export class RequiredPermission extends Context.Service<RequiredPermission, Permission>()(
  "@holdfast/http/contract/RequiredPermission"
) {}

/** Whether an operation confines itself to the scope of the presented token, so that it accepts one that is limited to buckets. */
export const ConfinedToScope = Context.Reference<boolean>("@holdfast/http/contract/ConfinedToScope", {
  defaultValue: () => false
})

/** Whether an operation is for account keys. It then accepts API tokens only if the deployment allows it. */
export const ForAccounts = Context.Reference<boolean>("@holdfast/http/contract/ForAccounts", {
  defaultValue: () => false
})

/** Whether an operation also accepts the key of an upload link. */
export const AcceptsUploadLinks = Context.Reference<boolean>("@holdfast/http/contract/AcceptsUploadLinks", {
  defaultValue: () => false
})

/** The annotations of an operation: its documentation, and the permission that it requires, if any. */
export const describe = (about: {
  readonly summary: string
  readonly description?: string
  readonly permission?: Permission
}): Context.Context<never> => {
  const { description, permission, summary } = about
  const requirement = permission === undefined ? undefined : `Requires the permission \`${permission}\`.`
  const documentation = OpenApi.annotations({
    summary,
    description: [description, requirement].filter((part) => part !== undefined).join("\n\n"),
    ...(permission === undefined ? undefined : { override: { "x-permission": permission } })
  })
  return permission === undefined ? documentation : Context.add(documentation, RequiredPermission, permission)
}

/** The problems that an operation may respond with, in addition to those of its middleware. */
export const problems = <Code extends ProblemCode>(
  ...codes: ReadonlyArray<Code>
): ReadonlyArray<Problem.Schemas[Code]> => codes.map(Problem.schemaOf)

// The schemas of bodies describe the JSON of the requests exactly. Effect's JSON codecs would also accept null for every
// optional field, which is a wrong type here. Therefore operations with a body set `disableCodecs`.

/** The header that has the path of a record. */
export const location = { location: Schema.String.annotate({ description: "The path of the record." }) }

/** `201` with the created record, and its path in `Location`. */
export const created = <S extends Schema.Top>(record: S) =>
  HttpApiSchema.WithHeaders(record.pipe(HttpApiSchema.status(201)), location)

/** An optional text, for example the value of a header. */
export const text = (description: string) => Schema.optional(Schema.String).annotate({ description })

/** A boolean in a query: `true` or `1`, `false` or `0`. */
export const Flag = Schema.Literals(["true", "1", "false", "0"]).pipe(
  Schema.decodeTo(
    Schema.Boolean,
    SchemaTransformation.transform({
      decode: (text) => text === "true" || text === "1",
      encode: (flag) => (flag ? ("true" as const) : ("false" as const))
    })
  )
)

/** The parameters of every paged list. */
export const page = {
  limit: Schema.optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }))).annotate({
    description: "The maximum number of items in the page. Default: 100."
  }),
  cursor: Schema.optional(Schema.String).annotate({ description: "The `nextCursor` of the previous page." })
}

/** The parameter of operations that remove a container. */
export const force = {
  force: Schema.optional(Flag).annotate({
    description:
      "Whether to remove everything in it too. By default, only an empty tenant or bucket is removed. Afterwards no request finds it, and its name is free. The service deletes the rows of a large one in the background."
  })
}
