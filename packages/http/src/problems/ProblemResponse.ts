/**
 * From whatever went wrong to the problem that is answered. Nothing else in this package knows how.
 */
import * as Input from "@holdfast/core/Input"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRespondable from "effect/http/HttpServerRespondable"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiError from "effect/http-api/HttpApiError"
import * as Predicate from "effect/Predicate"
import * as Problem from "./Problem.ts"
import { entryOf, isCode, type ProblemCode } from "./ProblemTable.ts"
import { RequestId } from "./RequestId.ts"

/** Any error of the core or of the data plane. */
export interface Coded<Code extends ProblemCode = ProblemCode> {
  readonly code: Code
  readonly message: string
  readonly errors?: ReadonlyArray<Problem.Fault>
  readonly existingId?: string
  /** Many errors have one; few tell it outside. */
  readonly reason?: string | undefined
  /** What is no news to the operator, whatever its status. */
  readonly isExpected?: boolean
}

const isCoded = (error: unknown): error is Coded =>
  Predicate.hasProperty(error, "code") && isCode(error.code) && Predicate.hasProperty(error, "message")

/** Of a failure inside, nobody outside learns more than where to look it up. */
const internal: Coded<"internal"> = {
  code: "internal",
  message: "The server failed. Its log tells why, under this request id."
}

const toProblem = <Code extends ProblemCode>(error: Coded<Code>, requestId: string): Problem.AnyOf<Code> =>
  Problem.make(error.code, {
    detail: error.code === "internal" ? internal.message : error.message,
    requestId,
    ...(error.errors === undefined ? undefined : { errors: error.errors }),
    ...(error.existingId === undefined ? undefined : { existingId: error.existingId }),
    ...(entryOf(error.code).extension === "reason" ? { reason: error.reason ?? "Internal" } : undefined)
  })

/** Tells the operator what failed inside; callers' own mistakes are no news. */
const report = (code: ProblemCode, cause: Cause.Cause<unknown>, requestId: string): Effect.Effect<void> =>
  entryOf(code).status < 500
    ? Effect.void
    : Effect.annotateLogs(
        code === "internal" ? Effect.logError("A request failed", cause) : Effect.logWarning("A request failed", cause),
        { requestId, code }
      )

/** Fails with the problem that an error of the core is, once the operator knows of it. */
export const fail = <Code extends ProblemCode>(error: Coded<Code>): Effect.Effect<never, Problem.AnyOf<Code>> =>
  Effect.flatMap(RequestId, (requestId) =>
    Effect.andThen(
      error.isExpected === true ? Effect.void : report(error.code, Cause.fail(error), requestId),
      Effect.fail(toProblem(error, requestId))
    )
  )

/** The answer that an error of the core is. */
export const respond = (
  error: Coded,
  headers?: Readonly<Record<string, string>>
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.flatMap(Effect.flip(fail(error)), (problem) =>
    Effect.map(HttpServerRespondable.toResponse(problem), HttpServerResponse.setHeaders(headers ?? {}))
  )

/**
 * What Effect's own HTTP modules fail with, or die of, in the terms of the table; undefined for what is none of a
 * caller's doing.
 */
const translate = (error: unknown): Coded | undefined => {
  if (HttpApiError.HttpApiSchemaError.is(error)) {
    return error.kind === "Body" || error.kind === "ResponseHeaders" ? undefined : Input.invalid(error.cause.issue)
  }
  if (HttpServerError.isHttpServerError(error)) {
    const { reason } = error
    if (reason._tag === "RouteNotFound") return { code: "not_found", message: "There is nothing at this address." }
    if (reason._tag !== "RequestParseError") return undefined
    return reason.reason === "BodyTooLarge"
      ? { code: "content_too_large", message: "The body is larger than this operation takes." }
      : { code: "invalid_request", message: "The body could not be read.", errors: [] }
  }
  return undefined
}

/** The answer to a request whose handling ended like this. An interruption stays one: nobody waits for its answer. */
export const fromCause = <E>(cause: Cause.Cause<E>): Effect.Effect<HttpServerResponse.HttpServerResponse, E> => {
  for (const reason of cause.reasons) {
    if (reason._tag === "Interrupt") continue
    const error: unknown = reason._tag === "Fail" ? reason.error : reason.defect
    if (HttpServerResponse.isHttpServerResponse(error)) return Effect.succeed(error)
    // An error of the core that became a defect was not to be: it is a failure of the service, whatever its code.
    const coded = reason._tag === "Fail" && isCoded(error) ? error : translate(error)
    if (coded !== undefined) return respond(coded)
  }
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
  return Effect.flatMap(RequestId, (requestId) =>
    Effect.andThen(
      report("internal", cause, requestId),
      HttpServerRespondable.toResponse(toProblem(internal, requestId))
    )
  )
}
