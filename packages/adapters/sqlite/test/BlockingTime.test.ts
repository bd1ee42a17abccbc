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

/** As `makeClocks`, with a measurement that has seen a long call. */
const makeAfterLong = () => {
  const made = makeClocks()
  const start = BlockingTime.make(2, made.clocks)
  const end = start()
  made.pass({ now: 3 })
  end()
  return { ...made, start }
}

describe("BlockingTime", () => {
  it("first long call for a while → counts as a wait for a processor, and starts the measurement", () => {
    const { clocks, pass } = makeClocks()
    const start = BlockingTime.make(2, clocks)
    const end = start()
    pass({ now: 9, processorTime: 8 })
    assert.strictEqual(end(), 0)
    const endNext = start()
    pass({ now: 9, processorTime: 8 })
    assert.strictEqual(endNext(), 8)
  })

  it("short calls → the time that has passed, and the processor time is asked for no longer after a thousand", () => {
    const { clocks, pass } = makeClocks()
    let asked = 0
    const processorTime = () => {
      asked += 1
      return clocks.processorTime()
    }
    const start = BlockingTime.make(2, { ...clocks, processorTime })
    const call = (now: number) => {
      const end = start()
      pass({ now })
      return end()
    }
    assert.strictEqual(call(1), 1)
    assert.strictEqual(asked, 0)
    call(3)
    for (let calls = 0; calls < 2000; calls += 1) assert.strictEqual(call(1), 1)
    assert.strictEqual(asked, 1000)
  })

  it("call that waits for a processor → its own work alone counts", () => {
    const { pass, start } = makeAfterLong()
    const end = start()
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
    const { pass, start } = makeAfterLong()
    const end = start()
    pass({ now: 9, processorTime: 8 })
    assert.strictEqual(end(), 8)
  })

  it("clocks of this process: long work → its processor time, at most the time that has passed", () => {
    const start = BlockingTime.make(2)
    const work = () => {
      const begin = performance.now()
      const end = start()
      while (performance.now() - begin < 5) {}
      return end()
    }
    work()
    const begin = performance.now()
    const millis = work()
    assert.isAbove(millis, 0)
    assert.isAtMost(millis, performance.now() - begin)
  })
})
