/**
 * The rates of requests: of a key, of a tenant, of the failed authentications of a client address, and of its requests without a
 * key. Each process counts for
 * itself, in memory. The service counts what its callers report; the HTTP API reports its requests.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Rate, Settings } from "../Settings.ts"
import * as RateLimiter from "./RateLimiter.ts"

export type Policy = "key" | "tenant" | "anonymous" | "failed-authentication"

/** What a subject of a policy may still do. */
export interface PolicyState {
  readonly policy: Policy
  readonly rate: Rate
  /** How many more requests are within the rate now. */
  readonly remaining: number
  /** Seconds until all of its requests are available. */
  readonly resetAfter: number
}

const reasons: { readonly [P in Policy]: (rate: string) => string } = {
  key: (rate) => `The key may make ${rate}.`,
  tenant: (rate) => `All keys of the tenant together may make ${rate}.`,
  anonymous: (rate) => `One address may make ${rate} without a key.`,
  "failed-authentication": (rate) => `Too many keys from this address were not valid: more than ${rate}.`
}

const format = ({ requests, window }: Rate): string => `${requests} requests in ${Duration.toSeconds(window)} seconds`

/** The request exceeds a rate. */
export class RateLimited extends Data.TaggedError("RateLimited")<{
  readonly policy: Policy
  readonly rate: Rate
  /** Seconds until a request is within the rate. */
  readonly retryAfter: number
  /** The states of all policies that the request counts for. */
  readonly states: ReadonlyArray<PolicyState>
}> {
  readonly code = "rate_limited"
  override get message(): string {
    return `${reasons[this.policy](format(this.rate))} Send the request again in ${this.retryAfter} seconds.`
  }
}

/** Who makes a request; a field is undefined if its policy does not apply. */
export interface Subject {
  /** The id of the presented key's record. */
  readonly credentialId: string | undefined
  readonly tenantId: string | undefined
  /** The address of a client without a key. */
  readonly client?: string | undefined
}

export class Rates extends Context.Service<
  Rates,
  {
    /** Whether keys or tenants have a rate. Without one, `admit` counts nothing. */
    readonly limitsRequests: boolean

    /**
     * Counts a request and returns what remains. Fails with `RateLimited`, and counts nothing, if it exceeds a rate.
     * A key and a tenant must have been authenticated: otherwise a stranger could use up their rates.
     */
    readonly admit: (subject: Subject) => Effect.Effect<ReadonlyArray<PolicyState>, RateLimited>

    /** Counts a failed authentication of a client. */
    readonly countFailure: (client: string) => void

    /** Whether any client may have exceeded the rate of failed authentications: a fast test before `findRefusal`. */
    readonly hasFailures: () => boolean

    /** Returns the error for a client whose failed authentications exceed the rate; undefined for any other client. */
    readonly findRefusal: (client: string) => RateLimited | undefined
  }
>()("@holdfast/core/rates/Rates") {}

interface Limit {
  readonly policy: Policy
  readonly rate: Rate
  readonly limiter: RateLimiter.RateLimiter
}

const seconds = (milliseconds: number): number => Math.ceil(milliseconds / 1000)

const stateOf = ({ policy, rate }: Limit, { remaining, resetAfter }: RateLimiter.RateState): PolicyState => ({
  policy,
  rate,
  remaining,
  resetAfter: seconds(resetAfter)
})

const refusal = (
  { policy, rate }: Limit,
  { retryAfter }: RateLimiter.RateState,
  states: ReadonlyArray<PolicyState>
): RateLimited => new RateLimited({ policy, rate, retryAfter: Math.max(1, seconds(retryAfter)), states })

const make = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const { anonymousRate, failedAuthenticationRate, keyRate, tenantRate } = yield* Settings
  const limit = (policy: Policy, rate: Rate | "off"): Limit | undefined =>
    rate === "off" ? undefined : { policy, rate, limiter: RateLimiter.make(rate) }
  const key = limit("key", keyRate)
  const tenant = limit("tenant", tenantRate)
  const anonymous = limit("anonymous", anonymousRate)
  const failures = limit("failed-authentication", failedAuthenticationRate)

  const limitsOf = ({ client, credentialId, tenantId }: Subject) => [
    ...(key === undefined || credentialId === undefined ? [] : [{ limit: key, subject: credentialId }]),
    ...(tenant === undefined || tenantId === undefined ? [] : [{ limit: tenant, subject: tenantId }]),
    ...(anonymous === undefined || client === undefined ? [] : [{ limit: anonymous, subject: client }])
  ]

  return Rates.of({
    limitsRequests: key !== undefined || tenant !== undefined,

    admit: (subject) =>
      Effect.suspend(() => {
        const now = clock.currentTimeMillisUnsafe()
        const limits = limitsOf(subject)
        // All are checked before one counts: a request that is refused counts for none.
        const checked = limits.map(({ limit, subject }) => ({ limit, state: limit.limiter.check(subject, now) }))
        const [exceeded] = checked
          .filter(({ state }) => !state.isWithin)
          .toSorted((a, b) => b.state.retryAfter - a.state.retryAfter)
        if (exceeded !== undefined) {
          const states = checked.map(({ limit, state }) => stateOf(limit, state))
          return Effect.fail(refusal(exceeded.limit, exceeded.state, states))
        }
        return Effect.succeed(limits.map(({ limit, subject }) => stateOf(limit, limit.limiter.count(subject, now))))
      }),

    countFailure: (client) => void failures?.limiter.count(client, clock.currentTimeMillisUnsafe()),

    hasFailures: () => failures !== undefined && failures.limiter.size() > 0,

    findRefusal: (client) => {
      if (failures === undefined) return undefined
      const state = failures.limiter.check(client, clock.currentTimeMillisUnsafe())
      return state.isWithin ? undefined : refusal(failures, state, [stateOf(failures, state)])
    }
  })
})

/** The rates of the settings. */
export const layer: Layer.Layer<Rates> = Layer.effect(Rates, make)
