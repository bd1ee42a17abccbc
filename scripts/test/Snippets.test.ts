/**
 * TypeScript that the pages show stands in a program that the tests run, line by line.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "vitest"
import * as Packages from "../Packages.ts"

const filesBelow = (directory: string): ReadonlyArray<string> =>
  Fs.readdirSync(Path.join(Packages.root, directory), { withFileTypes: true }).flatMap((entry) => {
    const path = `${directory}/${entry.name}`
    if (entry.isDirectory()) return ["node_modules", "dist"].includes(entry.name) ? [] : filesBelow(path)
    return [path]
  })

const read = (path: string): string => Fs.readFileSync(Path.join(Packages.root, path), "utf8")

/** The lines without their indentation, so that an excerpt may come from inside a block. */
const flat = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .join("\n")

const inPackages = filesBelow("packages")
const pages = ["README.md", ...inPackages, ...filesBelow("examples"), ...filesBelow("docs")]
const programs = [...filesBelow("examples"), ...inPackages.filter((path) => path.includes("/test/"))]
  .filter((path) => path.endsWith(".ts"))
  .map((path) => flat(read(path)))

const snippets = pages
  .filter((path) => path.endsWith(".md"))
  .flatMap((path) =>
    [...read(path).matchAll(/^```ts\n(.*?)^```/gms)].map((match, index) => ({
      name: `${path}, number ${index + 1}`,
      code: flat(match[1] ?? "").trim()
    }))
  )

describe("TypeScript in the pages is taken from tested programs", () => {
  it.each(snippets)("$name", ({ code }) => {
    assert.isTrue(
      programs.some((program) => program.includes(code)),
      code
    )
  })

  it("is there at all", () => {
    assert.isAbove(snippets.length, 0)
  })
})
