import { assert, describe, it } from "vitest"
import * as Result from "../scrub/Result.ts"

const repaired: Result.DamagedContent = { hasCopy: true, isFound: true, isRepaired: true }
const lost: Result.DamagedContent = { hasCopy: false, isFound: true, isRepaired: false }

const result = (damaged: ReadonlyArray<Result.DamagedContent>, falseAlarms = 0): Result.Result => ({
  database: "postgres",
  contents: 21_000,
  bytes: 21_000 * 4096,
  seconds: 20,
  cpuSeconds: 2,
  databaseCpuSeconds: 0.5,
  damaged,
  falseAlarms
})

describe("scrub result", () => {
  it("all found, those with a copy repaired → right", () => {
    assert.isTrue(Result.isRight(result([repaired, lost])))
  })

  it("one not found, one with a copy not repaired, or an intact one recorded as damaged → not right", () => {
    assert.isFalse(Result.isRight(result([repaired, { ...lost, isFound: false }])))
    assert.isFalse(Result.isRight(result([{ ...repaired, isRepaired: false }, lost])))
    assert.isFalse(Result.isRight(result([repaired, lost], 1)))
  })

  it("lines: speed, shares of a processor, and what was found and repaired", () => {
    assert.deepStrictEqual(Result.render(result([repaired, repaired, lost])).split("\n"), [
      "postgres: 21000 contents, 82 MiB, in 20.0 s",
      "  speed         1050 contents per second",
      "  processor     service 10.0 %, PostgreSQL 2.5 % of one",
      "  found         3 of 3, false alarms: 0",
      "  repaired      2 of 2 with a copy at a mirror",
      "  not repaired  1 of 1 without a copy",
      ""
    ])
  })
})
