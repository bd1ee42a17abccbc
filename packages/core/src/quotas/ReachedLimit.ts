/**
 * When a limit counts as reached. A tenant or bucket that reaches one leaves an event `quota.reached`: one when its use passes
 * `near` percent, and one when a request is refused. There is no other one until the use has fallen below `rearmed` percent, so that a
 * use that goes up and down around the limit leaves few events.
 */

/** The limits that leave events: those of what a tenant or bucket has. Conversions come and go, and are retried. */
export const names = ["bytes", "files", "buckets", "members", "tokens", "mirrors", "webhooks", "shares"] as const
export type Name = (typeof names)[number]

export const isName = (name: string): name is Name => names.some((one) => one === name)

const near = 80
const rearmed = 75

/** The part of a limit that has been used: `100` when a request was refused. */
export type Percent = 80 | 100

export interface ReachedLimit {
  readonly tenantId: string
  /** Null when it is a limit of the tenant. */
  readonly bucketId: string | null
  readonly limit: Name
  readonly percent: Percent
  readonly maximum: number
}

/** Returns the least use that is near a limit. */
export const nearFrom = (maximum: number): number => Math.ceil((maximum / 100) * near)

/** Returns the use below which a limit can be reached again. */
export const rearmedBelow = (maximum: number): number => Math.ceil((maximum / 100) * rearmed)
