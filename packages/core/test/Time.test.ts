/**
 * The times of records and lists.
 */
import * as DateTime from "effect/DateTime"
import { expect, it } from "vitest"
import * as Time from "../src/Time.ts"

it("times of any days, before 1970 and after the year 9999 too → as DateTime.formatIso writes them", () => {
  const edges = [
    0, -1, 1, 999, 1000, 59_999, 60_000, 3_599_999, 86_399_999, 86_400_000, -86_400_000, 253_402_300_800_000
  ]
  const days = Array.from({ length: 2000 }, (_, index) => (index - 500) * 1_234_567_891)
  for (const millis of [...edges, ...days]) {
    expect(Time.toIso(millis)).toBe(DateTime.formatIso(DateTime.makeUnsafe(millis)))
  }
})
