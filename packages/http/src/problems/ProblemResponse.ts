/**
 * Converts errors to problems and to responses, and logs those that the operator must know. Nothing else in this
 * package does so.
 */
import * as Input from "@holdfast/core/Input"
import type { CreatedResources } from "@holdfast/core/members/CreatedResources"
import type { Permission } from "@holdfast/core/Permission"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRespondable from "effect/http/HttpServerRespondable"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiError from "effect/http-api/HttpApiError"
import * as Predicate from "effect/Predicate"
import type { ShareLimit } from "@holdfast/core/files/shares/Share"
import * as MaskKeys from "@holdfast/core/secrets/MaskKeys"
import * as Problem from "./Problem.ts"
import { entryOf, isCode, type ProblemCode } from "./ProblemTable.ts"
import * as RequestId from "./RequestId.ts"

/** An error of core or of the data plane that has a code of the problem table. */
export interface CodedError<Code extends ProblemCode = ProblemCode> {
  readonly code: Code
  readonly message: string
  readonly errors?: ReadonlyArray<Problem.Fault>
  readonly existingId?: string | undefined
  readonly permission?: Permission | undefined
  readonly created?: CreatedResources
  readonly quota?: Problem.Quota
  /** What a share limits, or the bytes of the largest content. Problems contain the first one alone. */
  readonly limit?: ShareLimit | number
  /** Many errors have a reason. Only the problems whose table entry says so contain it. */
  readonly reason?: string | undefined
  /** Whether the error is a normal condition, which is not logged even if its status is 500 or above. */
  readonly isExpected?: boolean
}

const isCoded = (error: unknown): error is CodedError =>
  Predicate.hasProperty(error, "code") && isCode(error.code) && Predicate.hasProperty(error, "message")

/** The answer to an internal failure. It reveals nothing of the cause, which is in the log. */
const internal: CodedError<"internal"> = {
  code: "internal",
  message: "The server failed. Its log has the cause under this request id."
}

/** A name or value in a request may be a misplaced key. */
const maskFault = ({ detail, pointer }: Problem.Fault): Problem.Fault => ({
  pointer: MaskKeys.mask(pointer),
  detail: MaskKeys.mask(detail)
})

const toProblem = <Code extends ProblemCode>(error: CodedError<Code>, requestId: string): Problem.AnyOf<Code> =>
  Problem.make(error.code, {
    detail: error.code === "internal" ? internal.message : MaskKeys.mask(error.message),
    requestId,
    ...(error.errors === undefined ? undefined : { errors: error.errors.map(maskFault) }),
    ...(error.existingId === undefined ? undefined : { existingId: error.existingId }),
    ...(error.permission === undefined ? undefined : { permission: error.permission }),
    ...(error.created === undefined ? undefined : { created: error.created }),
    ...(error.quota === undefined ? undefined : { quota: error.quota }),
    ...(typeof error.limit === "string" ? { limit: error.limit } : undefined),
    ...(entryOf(error.code).extension === "reason" ? { reason: error.reason ?? "Internal" } : undefined)
  })

/** Logs a failure of the service. Errors of the caller (status below 500) are not logged. */
const logFailure = (code: ProblemCode, cause: Cause.Cause<unknown>, requestId: string): Effect.Effect<void> =>
  entryOf(code).status < 500
    ? Effect.void
    : Effect.annotateLogs(
        code === "internal" ? Effect.logError("request failed", cause) : Effect.logWarning("request failed", cause),
        { requestId, code }
      )

/** Logs an error where needed and fails with its problem. */
export const fail = <Code extends ProblemCode>(error: CodedError<Code>): Effect.Effect<never, Problem.AnyOf<Code>> =>
  Effect.flatMap(RequestId.current, (requestId) =>
    Effect.andThen(
      error.isExpected === true ? Effect.void : logFailure(error.code, Cause.fail(error), requestId),
      Effect.fail(toProblem(error, requestId))
    )
  )

/** Logs an error where needed and returns its problem as a response. */
export const respond = (
  error: CodedError,
  headers?: Readonly<Record<string, string>>
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.flatMap(Effect.flip(fail(error)), (problem) =>
    Effect.map(HttpServerRespondable.toResponse(problem), HttpServerResponse.setHeaders(headers ?? {}))
  )

/**
 * Converts an error or a defect of Effect's HTTP modules to an error with a code. Returns undefined if the caller did
 * not cause it.
 */
const translate = (error: unknown): CodedError | undefined => {
  if (HttpApiError.HttpApiSchemaError.is(error)) {
    return error.kind === "Body" || error.kind === "ResponseHeaders"
      ? undefined
      : Input.toInvalidRequest(error.cause.issue)
  }
  if (HttpServerError.isHttpServerError(error)) {
    const { reason } = error
    if (reason._tag === "RouteNotFound") return { code: "not_found", message: "This path does not exist." }
    if (reason._tag !== "RequestParseError") return undefined
    return reason.reason === "BodyTooLarge"
      ? { code: "content_too_large", message: "The body is larger than this operation allows." }
      : { code: "invalid_request", message: "The body could not be read.", errors: [] }
  }
  return undefined
}

/**
 * Returns the response to a request that failed with this cause. An interruption remains an interruption: its client no
 * longer waits for a response.
 */
export const fromCause = <E>(cause: Cause.Cause<E>): Effect.Effect<HttpServerResponse.HttpServerResponse, E> => {
  for (const reason of cause.reasons) {
    if (reason._tag === "Interrupt") continue
    const error: unknown = reason._tag === "Fail" ? reason.error : reason.defect
    if (HttpServerResponse.isHttpServerResponse(error)) return Effect.succeed(error)
    // An error of core that arrives as a defect was not expected. It is a failure of the service, whatever its code.
    const coded = reason._tag === "Fail" && isCoded(error) ? error : translate(error)
    if (coded !== undefined) return respond(coded)
  }
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
  return Effect.flatMap(RequestId.current, (requestId) =>
    Effect.andThen(
      logFailure("internal", cause, requestId),
      HttpServerRespondable.toResponse(toProblem(internal, requestId))
    )
  )
}
