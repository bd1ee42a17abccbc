import type { Waits } from "@holdfast/testing/neighbour/Waits"
import { assert, describe, it } from "vitest"
import * as Result from "../isolation/Result.ts"

const waits = (worstMs: number, failures = 0): Waits => ({
  requests: 1000,
  medianMs: 1.5,
  p99Ms: 2,
  p999Ms: worstMs / 2,
  worstMs,
  worstAtMs: 10,
  failures,
  firstFailure: failures > 0 ? "503 unavailable" : undefined
})

const result = (neighbour: Waits, reference: Waits, worstBeyondMs = neighbour.worstMs): Result.Result => ({
  operation: "delete-bucket",
  database: "sqlite",
  seconds: 12.3,
  note: "1 × 204",
  attempts: 1,
  neighbour,
  reference,
  worstBeyondMs
})

describe("isolation result", () => {
  it("worst wait within the goal → yes; longer → over goal; a failed read → failures", () => {
    assert.strictEqual(Result.verdict(result(waits(100), waits(1)), 100), "yes")
    assert.strictEqual(Result.verdict(result(waits(101), waits(1)), 100), "over goal")
    assert.strictEqual(Result.verdict(result(waits(10, 1), waits(1)), 100), "failures")
  })

  it("over goal, and the bare server waited for half of the goal too → noise", () => {
    assert.isFalse(Result.isNoise(result(waits(101), waits(50)), 100))
    assert.isTrue(Result.isNoise(result(waits(101), waits(51)), 100))
    assert.isFalse(Result.isNoise(result(waits(99), waits(51)), 100))
  })

  it("over goal, but not beyond the waits of the bare server at the same moment → noise", () => {
    assert.isTrue(Result.isNoise(result(waits(120), waits(40), 80), 100))
    assert.isFalse(Result.isNoise(result(waits(120), waits(10), 110), 100))
  })

  it("table: one line per operation, with the worst wait and the first failure", () => {
    const [, line = ""] = Result.render([result(waits(1234, 3), waits(7), 1228)], 100).split("\n")
    assert.deepStrictEqual(line.split(/ {2,}/), [
      "delete-bucket",
      "sqlite",
      "12.3 s",
      "2 ms",
      "617 ms",
      "1.2 s",
      "7 ms",
      "1.2 s",
      "failures",
      "1 × 204; 3 failed: 503 unavailable"
    ])
  })
})
