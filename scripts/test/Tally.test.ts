import { assert, describe, it } from "@effect/vitest"
import * as Tally from "../Tally.ts"

const tally = (passed: number, failed: number, ...skipped: ReadonlyArray<string>): Tally.Tally => ({
  passed,
  failed,
  skipped
})

describe("Tally", () => {
  it("is one line, with the skipped tests where there are any", () => {
    assert.strictEqual(Tally.line(tally(12, 0)), "12 passed, 0 failed")
    assert.strictEqual(Tally.line(tally(0, 3, "a", "b")), "0 passed, 3 failed, 2 skipped")
  })

  it("has failed when nothing ran", () => {
    assert.deepStrictEqual(Tally.settle(Tally.empty, 0), tally(0, 1))
    assert.deepStrictEqual(Tally.settle(Tally.empty, 1), tally(0, 1))
  })

  it("has failed when the process ended badly or by a signal, whatever the tests say", () => {
    assert.deepStrictEqual(Tally.settle(tally(5, 0), 1), tally(5, 1))
    assert.deepStrictEqual(Tally.settle(tally(5, 0), null), tally(5, 1))
    assert.deepStrictEqual(Tally.settle(tally(5, 2), 1), tally(5, 2))
  })

  it("stands as it is otherwise", () => {
    assert.deepStrictEqual(Tally.settle(tally(5, 0, "a"), 0), tally(5, 0, "a"))
    assert.deepStrictEqual(Tally.settle(tally(0, 0, "a"), 0), tally(0, 0, "a"))
  })
})
