import { assert, describe, it } from "@effect/vitest"
import * as RateLimiter from "@holdfast/core/rates/RateLimiter"
import * as Rates from "@holdfast/core/rates/Rates"
import * as Settings from "@holdfast/core/Settings"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fc from "fast-check"
import * as TestClock from "effect/testing/TestClock"

const perMinute = (requests: number): Settings.Rate => ({ requests, window: Duration.minutes(1) })

/** Runs a test with rates of 6 requests per minute of a key, and 10 of a tenant. */
const withRates = <A, E>(test: Effect.Effect<A, E, Rates.Rates>, settings: Partial<Settings.Settings> = {}) =>
  test.pipe(
    Effect.provide(
      Rates.layer.pipe(
        Layer.provide(
          Layer.succeed(Settings.Settings, {
            ...Settings.defaults,
            keyRate: perMinute(6),
            tenantRate: perMinute(10),
            ...settings
          })
        )
      )
    )
  )

const admit = (credentialId: string | undefined, tenantId: string | undefined = "tenant") =>
  Effect.flatMap(Rates.Rates, (rates) => rates.admit({ credentialId, tenantId }))

const admitted = (credentialId: string | undefined, tenantId?: string) =>
  Effect.match(admit(credentialId, tenantId), { onFailure: ({ policy }) => policy, onSuccess: () => "admitted" })

describe("Rates", () => {
  it.effect("counts of another process → count for the same subjects; what was added is not taken again", () => {
    const shared = Layer.succeed(Rates.SharesCounts, true)
    return Effect.gen(function* () {
      const other = yield* withRates(
        Effect.gen(function* () {
          for (let i = 0; i < 4; i++) yield* admit("key")
          const { takeCounts } = yield* Rates.Rates
          const counts = takeCounts()
          assert.deepStrictEqual(takeCounts(), [])
          return counts
        })
      )
      assert.deepStrictEqual(other, [
        { policy: "key", subject: "key", requests: 4 },
        { policy: "tenant", subject: "tenant", requests: 4 }
      ])
      yield* withRates(
        Effect.gen(function* () {
          const { addCounts, takeCounts } = yield* Rates.Rates
          addCounts(other)
          assert.deepStrictEqual(takeCounts(), [])
          for (let i = 0; i < 2; i++) assert.strictEqual(yield* admitted("key"), "admitted")
          assert.strictEqual(yield* admitted("key"), "key")
          addCounts([{ policy: "key", subject: "key", requests: 1000 }])
          yield* TestClock.adjust("10 seconds")
          assert.strictEqual(yield* admitted("key"), "admitted")
        })
      )
    }).pipe(Effect.provide(shared))
  })

  it.effect("key: more requests at once than its rate → refused, with the time of the next one", () =>
    withRates(
      Effect.gen(function* () {
        for (let i = 0; i < 6; i++) assert.strictEqual(yield* admitted("key"), "admitted")
        const error = yield* Effect.flip(admit("key"))
        assert.strictEqual(error.policy, "key")
        assert.strictEqual(error.retryAfter, 10)
        assert.strictEqual(
          error.message,
          "The key may make 6 requests in 60 seconds. Send the request again in 10 seconds."
        )
        assert.strictEqual(yield* admitted("another key"), "admitted")
      })
    )
  )

  it.effect("key: refused → one request is available after each tenth second, all after a minute", () =>
    withRates(
      Effect.gen(function* () {
        for (let i = 0; i < 6; i++) yield* admit("key")
        yield* TestClock.adjust("9999 millis")
        assert.strictEqual(yield* admitted("key"), "key")
        yield* TestClock.adjust("1 millis")
        assert.strictEqual(yield* admitted("key"), "admitted")
        assert.strictEqual(yield* admitted("key"), "key")
        yield* TestClock.adjust("1 minute")
        for (let i = 0; i < 6; i++) assert.strictEqual(yield* admitted("key"), "admitted")
        assert.strictEqual(yield* admitted("key"), "key")
      })
    )
  )

  it.effect("states: request → what remains of both policies, and when the whole is available", () =>
    withRates(
      Effect.gen(function* () {
        yield* admit("key")
        yield* TestClock.adjust("5 seconds")
        const states = yield* admit("key")
        assert.deepStrictEqual(
          states.map(({ policy, remaining, resetAfter }) => [policy, remaining, resetAfter]),
          [
            ["key", 4, 15],
            ["tenant", 8, 7]
          ]
        )
      })
    )
  )

  it.effect("tenant: several keys exceed its rate together → refused; another tenant → admitted", () =>
    withRates(
      Effect.gen(function* () {
        for (let i = 0; i < 10; i++) assert.strictEqual(yield* admitted(`key ${i}`), "admitted")
        assert.strictEqual(yield* admitted("key 11"), "tenant")
        assert.strictEqual(yield* admitted(undefined), "tenant")
        assert.strictEqual(yield* admitted("key 11", "another tenant"), "admitted")
      })
    )
  )

  it.effect("request that exceeds the rate of its key → does not count for its tenant", () =>
    withRates(
      Effect.gen(function* () {
        for (let i = 0; i < 6; i++) yield* admit("key")
        for (let i = 0; i < 20; i++) assert.strictEqual(yield* admitted("key"), "key")
        for (let i = 0; i < 4; i++) assert.strictEqual(yield* admitted(`key ${i}`), "admitted")
        assert.strictEqual(yield* admitted("key 5"), "tenant")
      })
    )
  )

  it.effect("request exceeds both rates → the time until it is within both", () =>
    withRates(
      Effect.gen(function* () {
        for (let i = 0; i < 2; i++) yield* admit("key")
        const error = yield* Effect.flip(admit("key"))
        assert.deepStrictEqual([error.policy, error.retryAfter], ["tenant", 60])
      }),
      { keyRate: perMinute(2), tenantRate: { requests: 2, window: Duration.minutes(2) } }
    )
  )

  it.effect("default settings → requests have no rate, failed authentications have one", () =>
    withRates(
      Effect.gen(function* () {
        const rates = yield* Rates.Rates
        assert.isFalse(rates.limitsRequests)
        for (let i = 0; i < 1000; i++) yield* admit("key")
        assert.isFalse(rates.hasFailures())
        for (let i = 0; i < 59; i++) rates.countFailure("203.0.113.5")
        assert.isUndefined(rates.findRefusal("203.0.113.5"))
        rates.countFailure("203.0.113.5")
        const refusal = rates.findRefusal("203.0.113.5")
        assert.strictEqual(refusal?.policy, "failed-authentication")
        assert.strictEqual(refusal?.retryAfter, 1)
        assert.isUndefined(rates.findRefusal("203.0.113.6"))
        yield* TestClock.adjust("1 second")
        assert.isUndefined(rates.findRefusal("203.0.113.5"))
      }),
      { keyRate: "off", tenantRate: "off" }
    )
  )
})

describe("RateLimiter", () => {
  it("a million subjects → memory of 65,536 at most; a subject that goes on keeps its count", () => {
    const limiter = RateLimiter.make(perMinute(60))
    let within = 0
    for (let i = 0; i < 1_000_000; i++) {
      limiter.count(`address ${i}`, i / 1000)
      if (i % 1000 === 0 && limiter.count("active", i / 1000).isWithin) within++
    }
    assert.isAtMost(limiter.size(), 65_536)
    // One second of simulated time refills one request.
    assert.strictEqual(within, 60)
  })

  it("subjects whose requests are all available again → forgotten while others come", () => {
    const limiter = RateLimiter.make(perMinute(1))
    for (let i = 0; i < 1000; i++) limiter.count(`old ${i}`, 0)
    for (const now of [60_000, 120_000]) limiter.count("new", now)
    assert.strictEqual(limiter.size(), 1)
  })

  it("clock is set back by an hour → a subject waits for the window at most", () => {
    const limiter = RateLimiter.make(perMinute(2))
    for (let i = 0; i < 2; i++) limiter.count("one", 3_600_000)
    assert.isAtMost(limiter.check("one", 0).retryAfter, 60_000)
  })

  it("any times → never more than the burst at once and the refill since", () => {
    const times = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), times, (requests, gaps) => {
        const limiter = RateLimiter.make({ requests, window: Duration.seconds(60) })
        let now = 0
        const admitted: Array<number> = []
        for (const gap of gaps) {
          now += gap
          const before = limiter.check("one", now)
          const state = limiter.count("one", now)
          assert.strictEqual(state.isWithin, before.isWithin)
          if (state.isWithin) admitted.push(now)
          else assert.isTrue(limiter.check("one", now + state.retryAfter).isWithin)
        }
        admitted.forEach((start, first) =>
          admitted.slice(first).forEach((end, count) => {
            assert.isAtMost(count + 1, requests + ((end - start) * requests) / 60_000 + 1e-6)
          })
        )
      })
    )
  })
})
