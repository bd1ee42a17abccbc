/**
 * Checks that the sidebar of the site and the list of pages lead to every page of docs/.
 */
import { assert, describe, it } from "vitest"
import { groups } from "../../site/Sidebar.ts"
import * as SourceFiles from "../checks/SourceFiles.ts"

const pages = SourceFiles.listBelow("docs")
  .filter((path) => /^docs\/[\w-]+\.md$/.test(path) && path !== "docs/README.md")
  .map((path) => path.slice("docs/".length, -".md".length))
  .toSorted()

const linksIn = (path: string): ReadonlyArray<string> =>
  [...SourceFiles.read(path).matchAll(/\]\((?:docs\/)?([\w-]+)\.md\)/g)].map(([, page = ""]) => page)

describe("pages of docs/", () => {
  it("sidebar of the site → every page once", () => {
    const linked = groups.flatMap(({ items }) => items.map(({ link }) => link.slice(1)))
    assert.deepStrictEqual(linked.filter((link) => !link.endsWith("/")).toSorted(), pages)
  })

  it.each(["README.md", "docs/README.md"])("%s → links to every page", (path) => {
    assert.deepStrictEqual(
      pages.filter((page) => !linksIn(path).includes(page)),
      []
    )
  })
})
