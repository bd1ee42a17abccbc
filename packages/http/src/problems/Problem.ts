/**
 * Problems (RFC 9457), the bodies of all error answers: their schemas, and their classes, which are errors of effects.
 */
import { CreatedResources } from "@holdfast/core/members/CreatedResources"
import { ShareLimit } from "@holdfast/core/files/shares/Share"
import * as Permission from "@holdfast/core/Permission"
import type * as Cause from "effect/Cause"
import type * as HttpServerRespondable from "effect/http/HttpServerRespondable"
import * as HttpApiError from "effect/http-api/HttpApiError"
import * as Schema from "effect/Schema"
import { codes, entryOf, type ProblemCode } from "./ProblemTable.ts"

/** One fault in the request. `pointer` is a JSON pointer (RFC 6901). */
export const Fault = Schema.Struct({ pointer: Schema.String, detail: Schema.String }).annotate({ identifier: "Fault" })
export type Fault = typeof Fault.Type

/** A limit that would be exceeded. */
export const Quota = Schema.Struct({
  owner: Schema.Literals(["tenant", "bucket"]),
  limit: Schema.String,
  maximum: Schema.Int,
  use: Schema.Int
}).annotate({ identifier: "Quota" })
export type Quota = typeof Quota.Type

/** The members of a problem that depend on its occurrence, not on its code alone. */
export interface Occurrence {
  /** A sentence that describes this occurrence. */
  readonly detail: string
  /** The id of the request, as in `X-Request-Id` and in the log. */
  readonly requestId: string
  /** All faults of the request; `invalid_request` only. */
  readonly errors?: ReadonlyArray<Fault>
  /** The id of the resource that causes the conflict; some conflicts only, if the caller may know it. */
  readonly existingId?: string
  /** The permission that is missing; `forbidden` only, where a role or a scope could give it. */
  readonly permission?: Permission.Permission
  /** The cause in a form for programs; `mirror_target_unreachable` only. */
  readonly reason?: string
  /** What a member created; `created_resources_remain` only. */
  readonly created?: CreatedResources
  /** The limit that would be exceeded; `quota_exceeded` only. */
  readonly quota?: Quota
  /** What the share limits; `share_exhausted` only. */
  readonly limit?: ShareLimit
}

/** A problem of one code. Its tag is the code: `Effect.catchTag("file_exists", ({ existingId }) => …)`. */
export interface Problem<Code extends ProblemCode>
  extends Occurrence, Cause.YieldableError, HttpServerRespondable.Respondable {
  readonly _tag: Code
  readonly code: Code
  /** `urn:holdfast:problem:<code>` */
  readonly type: string
  readonly status: number
  readonly title: string
}

/** A problem with any of these codes. */
export type AnyOf<Code extends ProblemCode> = Code extends ProblemCode ? Problem<Code> : never

/** The schema of one problem: `application/problem+json` with the status of the code. */
export interface ProblemSchema<Code extends ProblemCode> extends Schema.Codec<Problem<Code>, object> {
  new (occurrence: Occurrence): Problem<Code>
}

/** Returns the `type` of problems with this code. */
export const typeOf = (code: ProblemCode): string => `urn:holdfast:problem:${code}`

type Extension = NonNullable<ReturnType<typeof entryOf>["extension"]>

const extensions: { readonly [K in Extension]: { readonly [name: string]: Schema.Codec<unknown> } } = {
  errors: { errors: Schema.Array(Fault) },
  existingId: { existingId: Schema.optionalKey(Schema.String) },
  permission: { permission: Schema.optionalKey(Schema.Literals(Permission.all)) },
  reason: { reason: Schema.String },
  created: { created: CreatedResources },
  quota: { quota: Quota },
  limit: { limit: ShareLimit }
}

const declare = <Code extends ProblemCode>(code: Code): ProblemSchema<Code> => {
  const { extension, status, title } = entryOf(code)
  return HttpApiError.Problem<Problem<Code>>()(
    code,
    { type: typeOf(code), status, title },
    {
      detail: Schema.String,
      code: Schema.tag(code),
      requestId: Schema.String,
      ...(extension === undefined ? undefined : extensions[extension])
    },
    { identifier: `Problem_${code}` }
  )
}

export type Schemas = { readonly [Code in ProblemCode]: ProblemSchema<Code> }

const schemas = Object.fromEntries(codes.map((code) => [code, declare(code)])) as Schemas

/** Returns the schema of problems with this code. */
export const schemaOf = <Code extends ProblemCode>(code: Code): Schemas[Code] => schemas[code]

/** Makes a problem. The compiler does not infer its code through the constructor, hence the cast. */
export const make = <Code extends ProblemCode>(code: Code, occurrence: Occurrence): AnyOf<Code> =>
  new (schemaOf(code))(occurrence) as AnyOf<Code>
