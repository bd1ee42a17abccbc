/**
 * Faults that a test injects into requests.
 */

/** A fault of one request. */
export type Fault =
  /** The request is answered with an error. */
  | { readonly kind: "refuse"; readonly status: number; readonly reason?: string; readonly message?: string }
  /** The connection ends after so many bytes of the request's body. */
  | { readonly kind: "cutRequest"; readonly after: number }
  /**
   * The request is carried out. The connection ends after so many bytes of the response's body, or before the response
   * if 0.
   */
  | { readonly kind: "cutResponse"; readonly after: number }
  /** Bits of an object's bytes change in transit. */
  | { readonly kind: "damage" }

/** Injects a fault into some of the requests to come. */
export interface FaultPlan {
  readonly fault: Fault
  /** Matches the method and the URL of a request, such as `GET /storage/v1/b/…`. Default: every request. */
  readonly match?: RegExp
  /** How many matching requests succeed first. Default: 0. */
  readonly skip?: number
  /** How many matching requests get the fault then. Default: 1. */
  readonly times?: number
}

/** The faults of the requests to come. */
export interface Faults {
  readonly inject: (plan: FaultPlan) => void
  /** Returns the fault for a request, and counts the request. */
  readonly next: (request: string) => Fault | undefined
}

/** Makes an empty plan. */
export const make = (): Faults => {
  const plans: Array<FaultPlan & { toSkip: number; left: number }> = []
  return {
    inject: (plan) => void plans.push({ ...plan, toSkip: plan.skip ?? 0, left: plan.times ?? 1 }),
    next: (request) => {
      for (const plan of plans) {
        if (plan.left === 0 || plan.match?.test(request) === false) continue
        if (plan.toSkip-- > 0) continue
        plan.left--
        return plan.fault
      }
      return undefined
    }
  }
}
