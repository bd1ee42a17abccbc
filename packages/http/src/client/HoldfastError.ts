/**
 * The error of the client.
 */
import type { ShareLimit } from "@holdfast/core/files/shares/Share"
import type { CreatedResources } from "@holdfast/core/members/CreatedResources"
import type { Permission } from "@holdfast/core/Permission"
import type { Fault, Quota } from "../problems/Problem.ts"
import type { ProblemCode } from "../problems/ProblemTable.ts"

/**
 * - a code of the service: the service refused the call;
 * - `network_error`: no response arrived, and whether the call took effect is unknown;
 * - `unexpected_answer`: the response is not one of the service, but for example of a proxy;
 * - `aborted`: the caller's signal fired; `cause` is its reason;
 * - `source_failed`: the content to upload could not be read; `cause` is the error of its source.
 */
export type ClientErrorCode = ProblemCode | "network_error" | "unexpected_answer" | "aborted" | "source_failed"

/** The fields of a problem document (RFC 9457) that `HoldfastError` has, too. */
interface ProblemDetails {
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly errors?: ReadonlyArray<Fault> | undefined
  readonly existingId?: string | undefined
  readonly permission?: Permission | undefined
  readonly created?: CreatedResources | undefined
  readonly quota?: Quota | undefined
  readonly limit?: ShareLimit | undefined
  readonly reason?: string | undefined
  readonly retryAfter?: number | undefined
}

/** Every method of the client rejects with it. */
export class HoldfastError extends Error {
  override readonly name = "HoldfastError"
  readonly code: ClientErrorCode
  /** The status of the response, where one arrived. */
  readonly status: number | undefined
  /** The id of the request in the service's log. */
  readonly requestId: string | undefined
  /** All faults of the request; only with `invalid_request`. */
  readonly errors: ReadonlyArray<Fault>
  /** The id of the record that is in conflict; only with some conflicts. */
  readonly existingId: string | undefined
  /** The permission that is missing; only with `forbidden`, where a role or a scope could give it. */
  readonly permission: Permission | undefined
  /** The tokens and mirrors that a member created; only with `created_resources_remain`. */
  readonly created: CreatedResources | undefined
  /** The limit that would be exceeded, and what its owner uses; only with `quota_exceeded`. */
  readonly quota: Quota | undefined
  /** The limit of the share that is reached; only with `share_exhausted`. */
  readonly limit: ShareLimit | undefined
  /** Why the target of a mirror cannot be used; only with `mirror_target_unreachable`. */
  readonly reason: string | undefined
  /** Seconds after which to retry, where the service names a time. */
  readonly retryAfter: number | undefined

  constructor(code: ClientErrorCode, message: string, details: ProblemDetails = {}, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.status = details.status
    this.requestId = details.requestId
    this.errors = details.errors ?? []
    this.existingId = details.existingId
    this.permission = details.permission
    this.created = details.created
    this.quota = details.quota
    this.limit = details.limit
    this.reason = details.reason
    this.retryAfter = details.retryAfter
  }
}

interface Problem extends ProblemDetails {
  readonly code: ClientErrorCode
  readonly title?: string
  readonly detail?: string
}

const parseProblem = (body: string): Problem | undefined => {
  try {
    const value: unknown = JSON.parse(body)
    const isProblem = typeof value === "object" && value !== null && "code" in value && typeof value.code === "string"
    return isProblem ? (value as Problem) : undefined
  } catch {
    return undefined
  }
}

/** Returns the error of a response that is not successful. */
export const fromResponse = (status: number, body: string, header: (name: string) => string | null): HoldfastError => {
  const seconds = header("retry-after")
  const retryAfter = seconds !== null && /^\d+$/.test(seconds) ? Number(seconds) : undefined
  const problem = parseProblem(body)
  return problem === undefined
    ? new HoldfastError("unexpected_answer", `The response has status ${status} and no problem document.`, {
        status,
        retryAfter
      })
    : new HoldfastError(problem.code, problem.detail ?? problem.title ?? problem.code, {
        ...problem,
        status,
        retryAfter
      })
}

/** Returns the error of a call without a complete response. */
export const fromFailure = (cause: unknown, signal: AbortSignal | undefined): HoldfastError => {
  if (cause instanceof HoldfastError) return cause
  return signal?.aborted === true
    ? new HoldfastError("aborted", "The call was aborted.", {}, { cause: signal.reason })
    : new HoldfastError("network_error", "The service sent no complete response.", {}, { cause })
}
