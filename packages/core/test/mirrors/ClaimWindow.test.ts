import { assert, describe, it } from "@effect/vitest"
import * as ClaimWindow from "../../src/mirrors/worker/internal/ClaimWindow.ts"

describe("ClaimWindow", () => {
  it("size: no copies yet, or none in the last half second → 0", () => {
    const window = ClaimWindow.make()
    assert.strictEqual(window.size("a", 1000), 0)
    for (let now = 1000; now < 1100; now += 10) window.count("a", now)
    assert.strictEqual(window.size("a", 1100), 10)
    assert.strictEqual(window.size("a", 1499), 10)
    assert.strictEqual(window.size("a", 1500), 0)
    assert.strictEqual(window.size("b", 1100), 0)
  })

  it("size: copies at a steady rate → those of a quarter of a second", () => {
    const window = ClaimWindow.make()
    for (let now = 0; now < 1000; now += 10) window.count("a", now)
    assert.strictEqual(window.size("a", 1000), 25)
    for (let now = 1000; now < 2000; now += 100) window.count("a", now)
    assert.isAtMost(window.size("a", 2000), 3)
    // Copies before a pause do not count.
    window.count("a", 9000)
    assert.strictEqual(window.size("a", 9000), 1)
  })

  it("size: very many copies, very many mirrors → bounded", () => {
    const window = ClaimWindow.make()
    for (let turn = 0; turn < 10_000; turn++) window.count("a", 0)
    assert.strictEqual(window.size("a", 0), 64)
    for (let turn = 0; turn < 10_000; turn++) window.count(`mirror ${turn}`, 0)
    assert.strictEqual(window.size("a", 0), 0)
    assert.strictEqual(window.size("mirror 9999", 0), 1)
  })
})
