import { assert, describe, it } from "vitest"
import * as Finding from "../checks/Finding.ts"
import * as Words from "../checks/Words.ts"

const check = (text: string, ...allowed: ReadonlyArray<Words.Exception>) =>
  Words.check([{ path: "a/File.ts", text }], allowed).map(Finding.format)

describe("Words", () => {
  it("check: a word to be avoided → its file, line and word, whatever its case", () => {
    const text = "const a = 1\n// Nobody holds it, and the worker is told.\nconst isStanding = told\n"
    assert.deepStrictEqual(
      check(text).map((line) => line.replace(/": .*$/, '"')),
      ['a/File.ts:2: "Nobody"', 'a/File.ts:2: "told"', 'a/File.ts:3: "told"']
    )
  })

  it("check: a longer word that contains one → no finding", () => {
    assert.deepStrictEqual(check("isSettled, outstanding, Aristotles, understands"), [])
  })

  it("check: an exception for the line → no finding in it, but in other lines", () => {
    const exception = { path: "a/File.ts", text: "user: nobody" }
    assert.deepStrictEqual(check("user: nobody", exception), [])
    assert.lengthOf(check("user: nobody\nnobody", exception), 1)
  })

  it("check: an exception that no line needs → a finding", () => {
    assert.lengthOf(check("const a = 1", { path: "a/File.ts", text: "user: nobody" }), 1)
  })

  it("isChecked: code and pages → yes; generated change logs → no", () => {
    for (const path of ["packages/core/src/A.ts", "docs/a.md", "README.md", ".ci/run", "a/b.css"]) {
      assert.isTrue(Words.isChecked(path), path)
    }
    for (const path of ["packages/core/CHANGELOG.md", "pnpm-lock.yaml", "a/picture.png"]) {
      assert.isFalse(Words.isChecked(path), path)
    }
  })

  it("exceptions → at most ten", () => {
    assert.isAtMost(Words.exceptions.length, 10)
  })
})
