import { assert, describe, it } from "@effect/vitest"
import * as RetryPlan from "@holdfast/core/webhooks/RetryPlan"

const hour = 3_600_000

/** The milliseconds from the first attempt to the last one. */
const total = (random: number): number => {
  let sum = 0
  for (let attempts = 1; attempts < RetryPlan.maxAttempts; attempts++)
    sum += RetryPlan.nextDelay(attempts, random, 0) ?? NaN
  return sum
}

describe("RetryPlan", () => {
  it("ten attempts → about 75 hours, a tenth more or less", () => {
    assert.strictEqual(RetryPlan.maxAttempts, 10)
    assert.strictEqual(Math.round((total(0.5) / hour) * 10) / 10, 75.6)
    assert.isAbove(total(0) / hour, 68)
    assert.isBelow(total(1) / hour, 83.2)
    assert.isNull(RetryPlan.nextDelay(10, 0.5, 0))
  })

  it("the endpoint asks to wait → the later of both times", () => {
    assert.strictEqual(RetryPlan.nextDelay(1, 0.5, 60_000), 60_000)
    assert.strictEqual(RetryPlan.nextDelay(2, 0.5, 60_000), 300_000)
    assert.isNull(RetryPlan.nextDelay(10, 0.5, 60_000))
  })

  it.each([
    [null, 0],
    ["120", 120_000],
    [" 5 ", 5000],
    ["Thu, 01 Jan 1970 00:01:00 GMT", 50_000],
    ["Thu, 01 Jan 1970 00:00:01 GMT", 0],
    ["999999999999", 24 * hour],
    ["-5", 0],
    ["1.5", 0],
    ["soon", 0],
    ["Sometime", 0]
  ])("Retry-After %s → %i ms", (header, expected) => {
    assert.strictEqual(RetryPlan.parseRetryAfter(header, 10_000), expected)
  })

  it("consecutive failures → pauses of up to a minute, none after the first failure", () => {
    assert.deepStrictEqual([0, 1, 2, 3, 4, 8, 1000].map(RetryPlan.pause), [0, 0, 1000, 2000, 4000, 60_000, 60_000])
  })
})
