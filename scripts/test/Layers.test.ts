import { assert, describe, it } from "vitest"
import * as Finding from "../checks/Finding.ts"
import * as Layers from "../checks/Layers.ts"

const layering: Layers.Layering = {
  folder: "packages/a/src",
  layers: [["."], ["base"], ["left", "right"], ["left/api"], ["Main.ts"]]
}

const check = (path: string, text: string) =>
  Layers.check(layering, [{ path: `packages/a/src/${path}`, text }]).map(Finding.format)

describe("Layers", () => {
  it("check: an import from a lower layer or from the same folder → no finding", () => {
    assert.deepStrictEqual(check("left/A.ts", 'import { b } from "../base/B.ts"\nimport "./C.ts"\n'), [])
    assert.deepStrictEqual(check("left/api/A.ts", 'import { b } from "../B.ts"\n'), [])
    assert.deepStrictEqual(check("Main.ts", 'export * as a from "./left/api/A.ts"\nimport "./Text.ts"\n'), [])
    assert.deepStrictEqual(check("base/A.ts", 'import * as Effect from "effect/Effect"\n'), [])
  })

  it("check: an import from a higher layer → its file, line and target", () => {
    assert.deepStrictEqual(check("base/A.ts", '\nimport { b } from "../left/B.ts"\n'), [
      "packages/a/src/base/A.ts:2: imports left/B.ts, but base is a lower layer than left"
    ])
    assert.lengthOf(check("Text.ts", 'import { b } from "./base/B.ts"\n'), 1)
    assert.lengthOf(check("left/A.ts", 'import { b } from "./api/B.ts"\n'), 1)
  })

  it("check: an import from another folder of the same layer → a finding", () => {
    assert.lengthOf(check("left/A.ts", 'import { b } from "../right/B.ts"\n'), 1)
  })

  it("check: type-only imports, re-exports and dynamic imports → findings, too", () => {
    for (const text of [
      'import type { B } from "../left/B.ts"',
      'import { type B } from "../left/B.ts"',
      'export { b, c } from "../left/B.ts"',
      'export type * from "../left/B.ts"',
      'const b = await import("../left/B.ts")'
    ]) {
      assert.lengthOf(check("base/A.ts", text), 1, text)
    }
  })

  it("check: a folder without a layer → a finding", () => {
    assert.deepStrictEqual(check("other/A.ts", ""), [
      "packages/a/src/other/A.ts: is in none of the layers of packages/a/src"
    ])
  })

  it("isIn: modules below the folder → yes; other files → no", () => {
    assert.isTrue(Layers.isIn(layering, "packages/a/src/left/A.ts"))
    assert.isFalse(Layers.isIn(layering, "packages/a/src/left/a.css"))
    assert.isFalse(Layers.isIn(layering, "packages/a/test/A.ts"))
  })
})
