import { assert, describe, it } from "vitest"
import * as Finding from "../checks/Finding.ts"
import * as Pages from "../checks/Pages.ts"

const paths = ["README.md", "docs/mirrors.md", "packages/core/src/files/File.ts"]

const check = (path: string, text: string) => Pages.check([{ path, text }], paths).map(Finding.format)

describe("Pages", () => {
  it("check: links to existing files and folders, fragments, other sites → no finding", () => {
    const text = "[a](../README.md) [b](../packages/core) [c](mirrors.md#s3) [d](#top) [e](https://example.com/x)"
    assert.deepStrictEqual(check("docs/page.md", text), [])
  })

  it("check: a link to a missing file → the page, the line and the target", () => {
    assert.deepStrictEqual(check("docs/page.md", "\n[a](README.md)"), ["docs/page.md:2: README.md does not exist"])
  })

  it("check: source files in code spans → found by the end of their path, otherwise a finding", () => {
    assert.deepStrictEqual(check("README.md", "`packages/core/src/files/File.ts`, `files/File.ts`, `File.ts`"), [])
    assert.deepStrictEqual(check("README.md", "`Files.ts` and `core/File.ts`"), [
      "README.md:1: Files.ts does not exist",
      "README.md:1: core/File.ts does not exist"
    ])
  })
})
