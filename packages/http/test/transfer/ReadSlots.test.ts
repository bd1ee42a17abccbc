import { assert, describe, it } from "@effect/vitest"
import * as ReadSlots from "../../src/transfer/local/ReadSlots.ts"

describe("ReadSlots", () => {
  it("more reads than slots → they start in order as others are complete", () => {
    const startRead = ReadSlots.make(2)
    const started: Array<number> = []
    const releases: Array<() => void> = []
    for (let i = 0; i < 5; i++) {
      startRead((release) => {
        started.push(i)
        releases.push(release)
      })
    }
    assert.deepStrictEqual(started, [0, 1])
    releases.shift()?.()
    assert.deepStrictEqual(started, [0, 1, 2])
    while (releases.length > 0) releases.shift()?.()
    assert.deepStrictEqual(started, [0, 1, 2, 3, 4])
  })

  it("100,000 waiting reads that are complete at once → all start", () => {
    const startRead = ReadSlots.make(1)
    let releaseFirst = (): void => undefined
    startRead((release) => {
      releaseFirst = release
    })
    let started = 0
    for (let i = 0; i < 100_000; i++) {
      startRead((release) => {
        started++
        release()
      })
    }
    releaseFirst()
    assert.strictEqual(started, 100_000)
    startRead((release) => {
      started++
      release()
    })
    assert.strictEqual(started, 100_001)
  })
})
