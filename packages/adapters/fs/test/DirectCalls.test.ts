import { assert, describe, it } from "@effect/vitest"
import * as DirectCalls from "../src/internal/DirectCalls.ts"

describe("DirectCalls", () => {
  const make = () => {
    const clock = { now: 0 }
    const calls = DirectCalls.make({ maxMillis: 2, poolFactor: 20, now: () => clock.now })
    const runFor = (millis: number) =>
      calls.run(() => {
        clock.now += millis
      })
    return { calls, clock, runFor }
  }

  it("run: operation takes 2 ms → further ones may run on the calling thread", () => {
    const { calls, runFor } = make()
    runFor(2)
    assert.isTrue(calls.isFast())
  })

  it("run: operation takes 3 ms → the thread pool for 60 ms", () => {
    const { calls, clock, runFor } = make()
    runFor(3)
    assert.isFalse(calls.isFast())
    clock.now += 59
    assert.isFalse(calls.isFast())
    clock.now += 1
    assert.isTrue(calls.isFast())
  })

  it("run: operation fails slowly → its error, and the thread pool afterwards", () => {
    const { calls, clock } = make()
    const fail = () =>
      calls.run(() => {
        clock.now += 10
        throw new Error("ENOSPC")
      })
    assert.throws(fail, "ENOSPC")
    assert.isFalse(calls.isFast())
  })
})
