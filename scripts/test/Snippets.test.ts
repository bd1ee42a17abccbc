/**
 * Checks that every TypeScript example in the documentation is part of a program that the tests run.
 */
import { assert, describe, it } from "vitest"
import * as SourceFiles from "../checks/SourceFiles.ts"

/** Removes the indentation of every line, so that an excerpt may come from inside a block. */
const withoutIndentation = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .join("\n")

const inPackages = SourceFiles.listBelow("packages")
const pages = ["README.md", ...inPackages, ...SourceFiles.listBelow("examples"), ...SourceFiles.listBelow("docs")]
const programs = [...SourceFiles.listBelow("examples"), ...inPackages.filter((path) => path.includes("/test/"))]
  .filter((path) => path.endsWith(".ts"))
  .map((path) => withoutIndentation(SourceFiles.read(path)))

const snippets = pages
  .filter((path) => path.endsWith(".md"))
  .flatMap((path) =>
    [...SourceFiles.read(path).matchAll(/^```ts\n(.*?)^```/gms)].map((match, index) => ({
      name: `${path}, number ${index + 1}`,
      code: withoutIndentation(match[1] ?? "").trim()
    }))
  )

describe("TypeScript in the documentation", () => {
  it.each(snippets)("$name → part of a tested program", ({ code }) => {
    assert.isTrue(
      programs.some((program) => program.includes(code)),
      code
    )
  })

  it("all pages → at least one example", () => {
    assert.isAbove(snippets.length, 0)
  })
})
