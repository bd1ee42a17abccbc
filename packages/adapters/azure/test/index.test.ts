import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const program = (name: string): string => fileURLToPath(new URL(`programs/${name}.ts`, import.meta.url))

describe("azure", () => {
  it("loads the SDK when a store is opened, not before", () => {
    const told = execFileSync(process.execPath, [program("loads")], { encoding: "utf8" })
    assert.deepStrictEqual(JSON.parse(told), { imported: false, opened: true })
  })
})
