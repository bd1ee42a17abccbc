/**
 * The body of every error answer: a problem of RFC 9457, as a value that fails an effect, and as the schema by which it
 * is written and read.
 */
import type * as Cause from "effect/Cause"
import type * as HttpServerRespondable from "effect/http/HttpServerRespondable"
import * as HttpApiError from "effect/http-api/HttpApiError"
import * as Schema from "effect/Schema"
import { codes, entryOf, type ProblemCode } from "./ProblemTable.ts"

/** One fault in the request: where (RFC 6901) and what. */
export const Fault = Schema.Struct({ pointer: Schema.String, detail: Schema.String }).annotate({ identifier: "Fault" })
export type Fault = typeof Fault.Type

/** What one occurrence says, beyond what its code says. */
export interface Occurrence {
  /** This occurrence in words. */
  readonly detail: string
  /** The request that it answers, as in `X-Request-Id` and in the log. */
  readonly requestId: string
  /** Every fault that was found; `invalid_request` alone. */
  readonly errors?: ReadonlyArray<Fault>
  /** What stands in the way; some conflicts alone. */
  readonly existingId?: string
  /** Why, for programs; `mirror_target_unreachable` alone. */
  readonly reason?: string
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

/** A problem of any of these codes. */
export type AnyOf<Code extends ProblemCode> = Code extends ProblemCode ? Problem<Code> : never

/** The schema of one problem; `application/problem+json` with the code's status. */
export interface ProblemSchema<Code extends ProblemCode> extends Schema.Codec<Problem<Code>, object> {
  new (occurrence: Occurrence): Problem<Code>
}

export const typeOf = (code: ProblemCode): string => `urn:holdfast:problem:${code}`

type Extension = "errors" | "existingId" | "reason"

const extensions: { readonly [K in Extension]: { readonly [name: string]: Schema.Codec<unknown> } } = {
  errors: { errors: Schema.Array(Fault) },
  existingId: { existingId: Schema.String },
  reason: { reason: Schema.String }
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

/** The schema of a problem. */
export const schemaOf = <Code extends ProblemCode>(code: Code): Schemas[Code] => schemas[code]

/** A problem that occurred: of one of the codes, which the compiler does not follow through the constructor. */
export const make = <Code extends ProblemCode>(code: Code, occurrence: Occurrence): AnyOf<Code> =>
  new (schemaOf(code))(occurrence) as AnyOf<Code>
