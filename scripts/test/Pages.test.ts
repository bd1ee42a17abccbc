import { assert, describe, it } from "vitest"
import * as Finding from "../checks/Finding.ts"
import * as Pages from "../checks/Pages.ts"

const paths = ["README.md", "docs/mirrors.md", "packages/core/src/files/File.ts"]

const check = (path: string, text: string) => Pages.check([{ path, text }], paths).map(Finding.format)

describe("Pages", () => {
  it("check: links to existing files and folders, fragments, other sites → no finding", () => {
    const text =
      "# Top\n[a](../README.md) [b](../packages/core) [c](mirrors.md#s3) [d](#top) [e](https://example.com/x)"
    assert.deepStrictEqual(check("docs/page.md", text), [])
  })

  it("check: a link to a missing file → the page, the line and the target", () => {
    assert.deepStrictEqual(check("docs/page.md", "\n[a](README.md)"), ["docs/page.md:2: README.md does not exist"])
  })

  it("check: links to headings, also equal ones and with code → found as GitHub names them, otherwise a finding", () => {
    const page = (links: string) => `# A\n## \`a_b\`: c, d\n## A\n\`\`\`sh\n# no heading\n\`\`\`\n${links}`
    assert.deepStrictEqual(check("docs/page.md", page("[a](#a_b-c-d) [b](#a-1)")), [])
    assert.deepStrictEqual(check("docs/page.md", page("[a](#a-2) [b](#no-heading)")), [
      "docs/page.md:7: #a-2 does not exist",
      "docs/page.md:7: #no-heading does not exist"
    ])
  })

  it("check: source files in code spans → found by the end of their path, otherwise a finding", () => {
    assert.deepStrictEqual(check("README.md", "`packages/core/src/files/File.ts`, `files/File.ts`, `File.ts`"), [])
    assert.deepStrictEqual(check("README.md", "`Files.ts` and `core/File.ts`"), [
      "README.md:1: Files.ts does not exist",
      "README.md:1: core/File.ts does not exist"
    ])
  })
})
