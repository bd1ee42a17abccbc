/**
 * Checks that pages have the names that code defines, and that the tests which they name exist.
 */
import { assert, describe, it } from "vitest"
import * as SourceFiles from "../checks/SourceFiles.ts"

const paths = SourceFiles.listBelow("packages")
const sources = paths.filter((path) => path.includes("/src/") && path.endsWith(".ts"))

/** Returns the first group of each match in a text, each once. */
const namesIn = (text: string, pattern: RegExp): ReadonlyArray<string> => [
  ...new Set([...text.matchAll(pattern)].map(([, name = ""]) => name))
]

describe("names in pages", () => {
  it("security.md, table of threats: every test → a file or a folder of packages/", () => {
    const named = namesIn(
      SourceFiles.read("docs/security.md"),
      /`([\w*-]+(?:\/[\w*-]+)?\/(?:test|src)(?:\/[\w.*-]+)*)`/g
    )
    const exists = (name: string) => {
      const pattern = new RegExp(`^packages/${name.replaceAll("*", "[^/]*")}(?:[./]|$)`)
      return paths.some((path) => pattern.test(path))
    }
    assert.isAbove(named.length, 50)
    assert.deepStrictEqual(
      named.filter((name) => !exists(name)),
      []
    )
  })

  it("events.md: every action of an event", () => {
    const actions = namesIn(
      SourceFiles.read("packages/core/src/events/Event.ts"),
      /^ {2}"([a-z_]+\.[a-z_]+)": "[A-Z_]+",?$/gm
    )
    const page = SourceFiles.read("docs/events.md")
    assert.isAbove(actions.length, 40)
    assert.deepStrictEqual(
      actions.filter((action) => !page.includes(`\`${action}\``)),
      []
    )
  })

  it("operating.md: every metric", () => {
    const code = sources.map((path) => SourceFiles.read(path)).join("\n")
    const metrics = namesIn(code, /(?:\b(?:counter|gauge|histogram|make)\(\s*|\bname: )"((?:holdfast|http)_[a-z_]+)"/g)
    const page = SourceFiles.read("docs/operating.md")
    assert.isAbove(metrics.length, 30)
    assert.deepStrictEqual(
      metrics.filter((metric) => !page.includes(`\`${metric}`)),
      []
    )
  })
})
