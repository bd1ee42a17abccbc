import { assert, describe, it } from "@effect/vitest"
import * as BlockingTime from "../src/internal/BlockingTime.ts"

const makeClocks = () => {
  const at = { now: 500, processorTime: 40, deviceReads: 7 }
  return {
    /** Lets time pass during a call. */
    pass: (change: Partial<typeof at>) => {
      at.now += change.now ?? 0
      at.processorTime += change.processorTime ?? 0
      at.deviceReads += change.deviceReads ?? 0
    },
    clocks: { now: () => at.now, processorTime: () => at.processorTime, deviceReads: () => at.deviceReads }
  }
}

describe("BlockingTime", () => {
  it("call that waits for a processor → its own work alone counts", () => {
    const { clocks, pass } = makeClocks()
    const end = BlockingTime.make(2, clocks)()
    pass({ now: 9, processorTime: 0.25 })
    assert.strictEqual(end(), 0.25)
  })

  it("call that reads from a device → all time counts, for this call alone", () => {
    const { clocks, pass } = makeClocks()
    const start = BlockingTime.make(2, clocks)
    const end = start()
    pass({ now: 9, processorTime: 0.25, deviceReads: 1 })
    assert.strictEqual(end(), 9)
    const endNext = start()
    pass({ now: 9, processorTime: 0.25 })
    assert.strictEqual(endNext(), 0.25)
  })

  it("call with much work → counts as long as it works", () => {
    const { clocks, pass } = makeClocks()
    const end = BlockingTime.make(2, clocks)()
    pass({ now: 9, processorTime: 8 })
    assert.strictEqual(end(), 8)
  })

  it("clocks of this process: long work → its processor time, at most the time that has passed", () => {
    const begin = performance.now()
    const end = BlockingTime.make(2)()
    while (performance.now() - begin < 5) {}
    const millis = end()
    assert.isAbove(millis, 0)
    assert.isAtMost(millis, performance.now() - begin)
  })
})
