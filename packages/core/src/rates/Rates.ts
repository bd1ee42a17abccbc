/**
 * The rates of requests: of a key, of a tenant, of the failed authentications of a client address, and of its requests without a
 * key. Each process counts in memory. Processes that share their rates tell each other what they have counted. The service counts
 * what its callers report; the HTTP API reports its requests.
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

/** Requests of one subject that a process has counted. */
export interface Count {
  readonly policy: Policy
  readonly subject: string
  readonly requests: number
}

/** Whether other processes count what this one admits, so that `takeCounts` returns it. */
export const SharesCounts = Context.Reference<boolean>("@holdfast/core/rates/SharesCounts", {
  defaultValue: () => false
})

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

    /** Returns what was counted since the last call; nothing unless `SharesCounts` is set. */
    readonly takeCounts: () => ReadonlyArray<Count>

    /** Counts what other processes have counted. */
    readonly addCounts: (counts: ReadonlyArray<Count>) => void
  }
>()("@holdfast/core/rates/Rates") {}

interface Limit {
  readonly policy: Policy
  readonly rate: Rate
  readonly limiter: RateLimiter.RateLimiter
  /** The requests that other processes do not know of yet, by subject. */
  readonly counts: Map<string, number>
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
  const sharesCounts = yield* SharesCounts
  const limits = new Map<Policy, Limit>()
  const limit = (policy: Policy, rate: Rate | "off"): Limit | undefined => {
    if (rate === "off") return undefined
    const made = { policy, rate, limiter: RateLimiter.make(rate), counts: new Map<string, number>() }
    limits.set(policy, made)
    return made
  }
  const key = limit("key", keyRate)
  const tenant = limit("tenant", tenantRate)
  const anonymous = limit("anonymous", anonymousRate)
  const failures = limit("failed-authentication", failedAuthenticationRate)

  const count = ({ counts, limiter }: Limit, subject: string, now: number): RateLimiter.RateState => {
    const state = limiter.count(subject, now)
    if (sharesCounts && state.isWithin) counts.set(subject, (counts.get(subject) ?? 0) + 1)
    return state
  }

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
        return Effect.succeed(limits.map(({ limit, subject }) => stateOf(limit, count(limit, subject, now))))
      }),

    countFailure: (client) => {
      if (failures !== undefined) count(failures, client, clock.currentTimeMillisUnsafe())
    },

    hasFailures: () => failures !== undefined && failures.limiter.size() > 0,

    findRefusal: (client) => {
      if (failures === undefined) return undefined
      const state = failures.limiter.check(client, clock.currentTimeMillisUnsafe())
      return state.isWithin ? undefined : refusal(failures, state, [stateOf(failures, state)])
    },

    takeCounts: () => {
      const taken: Array<Count> = []
      for (const { counts, policy } of limits.values()) {
        for (const [subject, requests] of counts) taken.push({ policy, subject, requests })
        counts.clear()
      }
      return taken
    },

    addCounts: (counts) => {
      const now = clock.currentTimeMillisUnsafe()
      for (const { policy, requests, subject } of counts) limits.get(policy)?.limiter.add(subject, requests, now)
    }
  })
})

/** The rates of the settings. */
export const layer: Layer.Layer<Rates> = Layer.effect(Rates, make)
