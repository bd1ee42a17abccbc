/**
 * The headers that report rates: `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11), and `Retry-After`.
 */
import type { PolicyState, RateLimited } from "@holdfast/core/rates/Rates"
import * as Duration from "effect/Duration"
import type { ResponseHeaders } from "../problems/CommonHeaders.ts"

/** Returns the headers of an answer: for each policy its rate, what remains, and when all of it is available again. */
export const ofStates = (states: ReadonlyArray<PolicyState>): ResponseHeaders => ({
  "ratelimit-policy": states
    .map(({ policy, rate }) => `"${policy}";q=${rate.requests};w=${Math.ceil(Duration.toSeconds(rate.window))}`)
    .join(", "),
  ratelimit: states.map(({ policy, remaining, resetAfter }) => `"${policy}";r=${remaining};t=${resetAfter}`).join(", ")
})

/** Returns the headers of the answer to a request that exceeds a rate. */
export const ofRefusal = ({ retryAfter, states }: RateLimited): ResponseHeaders => ({
  ...ofStates(states),
  "retry-after": String(retryAfter)
})
