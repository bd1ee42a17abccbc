import { assert, describe, it } from "@effect/vitest"
import * as ClaimWindow from "@holdfast/core/mirrors/worker/ClaimWindow"

describe("MirrorPace", () => {
  it("claims nothing ahead before anything was copied, and when nothing has been for a while", () => {
    const pace = ClaimWindow.make()
    assert.strictEqual(pace.size("a", 1000), 0)
    for (let now = 1000; now < 1100; now += 10) pace.count("a", now)
    assert.strictEqual(pace.size("a", 1100), 10)
    assert.strictEqual(pace.size("a", 1499), 10)
    assert.strictEqual(pace.size("a", 1500), 0)
    assert.strictEqual(pace.size("b", 1100), 0)
  })

  it("claims as many ahead as were copied in the last moment, while they are counted anew", () => {
    const pace = ClaimWindow.make()
    for (let now = 0; now < 1000; now += 10) pace.count("a", now)
    assert.strictEqual(pace.size("a", 1000), 25)
    for (let now = 1000; now < 2000; now += 100) pace.count("a", now)
    assert.isAtMost(pace.size("a", 2000), 3)
    // After a pause, what was before it counts no more.
    pace.count("a", 9000)
    assert.strictEqual(pace.size("a", 9000), 1)
  })

  it("never claims without bounds, nor keeps mirrors without bounds", () => {
    const pace = ClaimWindow.make()
    for (let turn = 0; turn < 10_000; turn++) pace.count("a", 0)
    assert.strictEqual(pace.size("a", 0), 64)
    for (let turn = 0; turn < 10_000; turn++) pace.count(`mirror ${turn}`, 0)
    assert.strictEqual(pace.size("a", 0), 0)
    assert.strictEqual(pace.size("mirror 9999", 0), 1)
  })
})
