/**
 * What goes wrong when a test says so.
 */

export type Fault =
  /** The request is answered with an error. */
  | { readonly kind: "refuse"; readonly status: number; readonly reason?: string; readonly message?: string }
  /** The connection ends after so many bytes of the request's body. */
  | { readonly kind: "cutRequest"; readonly after: number }
  /** The request is carried out, and the connection ends after so many bytes of the answer's body; 0 for no answer. */
  | { readonly kind: "cutAnswer"; readonly after: number }
  /** Bits of the bytes that arrive for an object change on the way. */
  | { readonly kind: "damage" }

export interface Plan {
  readonly fault: Fault
  /** Of the requests to come whose method and URL, as in `GET /storage/v1/b/…`, match; every one when absent. */
  readonly match?: RegExp
  /** How many of them go well before; 0 when absent. */
  readonly skip?: number
  /** How many of them fail then; 1 when absent. */
  readonly times?: number
}

export interface Faults {
  readonly plan: (plan: Plan) => void
  /** The fault of a request, which it then has had. */
  readonly take: (request: string) => Fault | undefined
}

export const make = (): Faults => {
  const plans: Array<Plan & { passing: number; left: number }> = []
  return {
    plan: (plan) => void plans.push({ ...plan, passing: plan.skip ?? 0, left: plan.times ?? 1 }),
    take: (request) => {
      for (const plan of plans) {
        if (plan.left === 0 || plan.match?.test(request) === false) continue
        if (plan.passing-- > 0) continue
        plan.left--
        return plan.fault
      }
      return undefined
    }
  }
}
