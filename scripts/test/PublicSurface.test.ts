import { assert, describe, it } from "vitest"
import * as PublicSurface from "../checks/PublicSurface.ts"
import * as Exports from "../packages/Exports.ts"

const open = { "./*": "./src/*.ts" }
const closed = { ...open, "./files/internal/*": null }
const modules = ["files/Files", "files/internal/Staging", "files/internal/upload/Part", "internals/Fine"]

const findings = (exports: Exports.Exports, published: Exports.Exports) =>
  PublicSurface.check([
    { directory: "packages/a", manifest: { exports, publishConfig: { exports: published } }, modules }
  ])

describe("public surface", () => {
  it("internal folder: null in both lists of exports → no finding", () => {
    assert.deepStrictEqual(findings(closed, closed), [])
  })

  it("internal folder: exported by one of the lists → one finding for the folder", () => {
    assert.deepStrictEqual(findings(closed, open), [
      { path: "packages/a/package.json", message: 'publishConfig.exports lacks "./files/internal/*": null' }
    ])
  })

  it.each([
    [".", true],
    ["./files/Files", true],
    ["./files/internal/Staging", false],
    ["./exact", false]
  ])("exports: %s → %s", (subpath, expected) => {
    assert.strictEqual(Exports.isExported({ ".": "./src/index.ts", "./exact": null, ...closed }, subpath), expected)
  })
})
