import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import * as NewObjectSpace from "../../../src/server/startup/NewObjectSpace.ts"

const program = fileURLToPath(import.meta.resolve("./support/NewObjectSpaceProgram.ts"))

/** Runs the program with options for Node; returns the largest size of the space, in bytes. */
const largest = async (...options: ReadonlyArray<string>): Promise<number> => {
  const { stdout } = await promisify(execFile)(process.execPath, [...options, program])
  return Number(stdout)
}

describe("NewObjectSpace", () => {
  it("many objects survive → the space grows no further than to the limit", async () => {
    assert.isAtMost(await largest(), NewObjectSpace.limit)
  })

  it("--max-semi-space-size is set → the space grows to that size", async () => {
    assert.strictEqual(await largest("--max-semi-space-size=32"), 2 * NewObjectSpace.limit)
  })
})
