import { assert, describe, it } from "@effect/vitest"
import * as TestSummary from "../results/TestSummary.ts"

const summary = (passed: number, failed: number, ...skipped: ReadonlyArray<string>): TestSummary.TestSummary => ({
  passed,
  failed,
  skipped,
  repeated: []
})

describe("TestSummary", () => {
  it("format: any summary → one line, with the number of skipped tests where there are any", () => {
    assert.strictEqual(TestSummary.format(summary(12, 0)), "12 passed, 0 failed")
    assert.strictEqual(TestSummary.format(summary(0, 3, "a", "b")), "0 passed, 3 failed, 2 skipped")
  })

  it("notes: skipped and repeated tests → named; none for others", () => {
    assert.deepStrictEqual(TestSummary.notes({ ...summary(3, 0, "a"), repeated: ["b (late)"] }), [
      "Failed, and passed when they ran again:",
      "  b (late)",
      "Skipped:",
      "  a"
    ])
    assert.deepStrictEqual(TestSummary.notes(summary(3, 0)), [])
  })

  it("withExitStatus: no test ran → one failure", () => {
    assert.deepStrictEqual(TestSummary.withExitStatus(TestSummary.empty, 0), summary(0, 1))
    assert.deepStrictEqual(TestSummary.withExitStatus(TestSummary.empty, 1), summary(0, 1))
  })

  it("withExitStatus: the process failed or a signal stopped it → at least one failure", () => {
    assert.deepStrictEqual(TestSummary.withExitStatus(summary(5, 0), 1), summary(5, 1))
    assert.deepStrictEqual(TestSummary.withExitStatus(summary(5, 0), null), summary(5, 1))
    assert.deepStrictEqual(TestSummary.withExitStatus(summary(5, 2), 1), summary(5, 2))
  })

  it("withExitStatus: the process succeeded and tests ran → the summary is unchanged", () => {
    assert.deepStrictEqual(TestSummary.withExitStatus(summary(5, 0, "a"), 0), summary(5, 0, "a"))
    assert.deepStrictEqual(TestSummary.withExitStatus(summary(0, 0, "a"), 0), summary(0, 0, "a"))
  })
})
