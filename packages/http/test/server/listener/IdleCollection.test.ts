import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import * as IdleCollection from "../../../src/server/startup/IdleCollection.ts"

const program = fileURLToPath(import.meta.resolve("./support/IdleCollectionProgram.ts"))

const minute = 60_000

describe("IdleCollection", () => {
  it("decision: idle after the start → once; after each busy time, ten minutes later at the earliest", () => {
    const isDue = IdleCollection.makeDecision()
    assert.isFalse(isDue(0.4, 0))
    assert.isFalse(isDue(0.05, 1))
    assert.isTrue(isDue(0.005, 2))
    assert.isFalse(isDue(0, 20 * minute))
    assert.isFalse(isDue(0.1, 21 * minute))
    assert.isFalse(isDue(0, 22 * minute))
    assert.isFalse(isDue(0.9, 23 * minute))
    assert.isTrue(isDue(0, 24 * minute))
    assert.isFalse(isDue(0.9, 25 * minute))
    assert.isFalse(isDue(0, 26 * minute))
    assert.isTrue(isDue(0, 35 * minute))
  })

  it("service that is idle, objects that nothing uses → collected", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [program])
    assert.strictEqual(stdout, "collected\n")
  }, 60_000)
})
