/**
 * What every call of the client can reject with.
 */
import type { Fault } from "../problems/Problem.ts"
import type { ProblemCode } from "../problems/ProblemTable.ts"

/**
 * - a code of the service: it refused, and says why;
 * - `network_error`: no answer came, and whether the call took effect is not known;
 * - `unexpected_answer`: something between answered in the service's place, such as a proxy;
 * - `aborted`: the caller's signal fired; `cause` is its reason;
 * - `source_failed`: the content that was to be uploaded could not be read; `cause` is its own error.
 */
export type ClientErrorCode = ProblemCode | "network_error" | "unexpected_answer" | "aborted" | "source_failed"

/** What a service says of a call that it refused (RFC 9457), as far as it says it. */
export interface ProblemDetails {
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly errors?: ReadonlyArray<Fault> | undefined
  readonly existingId?: string | undefined
  readonly reason?: string | undefined
  readonly retryAfter?: number | undefined
}

export class HoldfastError extends Error {
  override readonly name = "HoldfastError"
  readonly code: ClientErrorCode
  /** The status of the answer, where one came. */
  readonly status: number | undefined
  /** What the service's log calls the request. */
  readonly requestId: string | undefined
  /** Every fault that was found in the request; `invalid_request` alone. */
  readonly errors: ReadonlyArray<Fault>
  /** What stands in the way; some conflicts alone. */
  readonly existingId: string | undefined
  /** Why the target of a mirror cannot be used; `mirror_target_unreachable` alone. */
  readonly reason: string | undefined
  /** Seconds after which to try again, where the service says so. */
  readonly retryAfter: number | undefined

  constructor(code: ClientErrorCode, message: string, details: ProblemDetails = {}, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.status = details.status
    this.requestId = details.requestId
    this.errors = details.errors ?? []
    this.existingId = details.existingId
    this.reason = details.reason
    this.retryAfter = details.retryAfter
  }
}

interface Problem extends ProblemDetails {
  readonly code: ClientErrorCode
  readonly title?: string
  readonly detail?: string
}

const problemOf = (body: string): Problem | undefined => {
  try {
    const value: unknown = JSON.parse(body)
    const isProblem = typeof value === "object" && value !== null && "code" in value && typeof value.code === "string"
    return isProblem ? (value as Problem) : undefined
  } catch {
    return undefined
  }
}

/** The error that an answer is. */
export const fromAnswer = (status: number, body: string, header: (name: string) => string | null): HoldfastError => {
  const seconds = header("retry-after")
  const retryAfter = seconds !== null && /^\d+$/.test(seconds) ? Number(seconds) : undefined
  const problem = problemOf(body)
  return problem === undefined
    ? new HoldfastError("unexpected_answer", `The answer was ${status}, and no problem document.`, {
        status,
        retryAfter
      })
    : new HoldfastError(problem.code, problem.detail ?? problem.title ?? problem.code, {
        ...problem,
        status,
        retryAfter
      })
}

/** The error of a call that got no answer. */
export const fromFailure = (cause: unknown, signal: AbortSignal | undefined): HoldfastError => {
  if (cause instanceof HoldfastError) return cause
  return signal?.aborted === true
    ? new HoldfastError("aborted", "The call was aborted.", {}, { cause: signal.reason })
    : new HoldfastError("network_error", "No answer came from the service.", {}, { cause })
}
