import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import * as HeapGrowth from "../../../src/server/startup/HeapGrowth.ts"

const program = fileURLToPath(import.meta.resolve("./support/HeapGrowthProgram.ts"))

/** Runs the program with options for Node; returns the largest sizes of the space for new objects, in bytes. */
const largest = async (
  ...options: ReadonlyArray<string>
): Promise<{ readonly loaded: number; readonly running: number }> => {
  const { stdout } = await promisify(execFile)(process.execPath, [...options, program])
  return JSON.parse(stdout)
}

const mebibyte = 1024 ** 2

describe("HeapGrowth", () => {
  it("many objects survive → the space for new objects is small after the modules were loaded, then grows to its limit", async () => {
    const { loaded, running } = await largest()
    assert.isAtMost(loaded, 2 * mebibyte)
    assert.isAbove(running, 8 * mebibyte)
    // While many objects survive a collection, V8 adds pages to the space until the next one.
    assert.isBelow(running, 2 * HeapGrowth.limit)
  })

  it("--max-semi-space-size is set → the space grows to that size", async () => {
    const { running } = await largest("--max-semi-space-size=32")
    assert.strictEqual(running, 2 * HeapGrowth.limit)
  })
})
