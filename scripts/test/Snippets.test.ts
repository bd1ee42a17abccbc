/**
 * Checks the code in the documentation. Every TypeScript example is part of a program that the tests run. Shell, JSON, YAML and JavaScript
 * are parsed; ShellBlocks.test.ts and ScriptBlocks.test.ts run what one machine can run. The tests of proxies run the configurations
 * for nginx and HAProxy, those of keys read the HTML. Texts are not checked. A block in another language needs a check, and its name in
 * the list below.
 */
import { spawnSync } from "node:child_process"
import { parseSync } from "oxc-parser"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import * as SourceFiles from "../checks/SourceFiles.ts"

/** Removes the indentation of every line, so that an excerpt may come from inside a block. */
const withoutIndentation = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .join("\n")

const inPackages = SourceFiles.listBelow("packages")
const pages = ["README.md", ...inPackages, ...SourceFiles.listBelow("examples"), ...SourceFiles.listBelow("docs")]
const markdown = pages.filter((path) => path.endsWith(".md"))
const programs = [...SourceFiles.listBelow("examples"), ...inPackages.filter((path) => path.includes("/test/"))]
  .filter((path) => path.endsWith(".ts"))
  .map((path) => withoutIndentation(SourceFiles.read(path)))

/** The blocks of a language, with the page and the number of each. */
const blocksOf = (language: string) =>
  markdown.flatMap((path) =>
    [...SourceFiles.read(path).matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(
      ([, code = ""], index) => ({ name: `${path}, number ${index + 1}`, code })
    )
  )

const snippets = blocksOf("ts").map(({ code, name }) => ({ name, code: withoutIndentation(code).trim() }))

const setting = /HOLDFAST_[A-Z0-9_]+/g

/** Variables of the command line's clients, of the tests and of examples; and beginnings of names, such as `HOLDFAST_QUOTA_…`. */
const others = /HOLDFAST_(?:URL|KEY|API_KEY|TENANT|BUCKET|NO_INSTALL|REQUIRE|\w+_)$/

/** A line that begins or ends a block, wherever Markdown accepts one. */
const fence = /^[\s>*+-]*(?:\d+\.\s+)?(?:`{3,}|~{3,})/

/** Returns the lines that begin or end a block in another way than the tests look for: these would not see the block. */
const findUncheckedBlocks = (page: string): ReadonlyArray<string> => {
  let isOpen = false
  return page.split("\n").filter((line) => {
    if (!fence.test(line)) return false
    isOpen = !isOpen
    return !(isOpen ? /^```(?:ts|sh|json|js|html|yaml|text|nginx|haproxy)$/ : /^```$/).test(line)
  })
}

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

describe("other code in the documentation", () => {
  it("every block → at the beginning of its line, in a language of the list", () => {
    for (const path of markdown) assert.deepStrictEqual(findUncheckedBlocks(SourceFiles.read(path)), [], path)
  })

  it("block without a language, with options, in a list or between tildes → found", () => {
    for (const fence of ["```\n", "```ts twoslash\n", "  ```ts\n", "~~~ts\n", "````ts\n", "```python\n", "> ```sh\n"]) {
      assert.isNotEmpty(findUncheckedBlocks(`Text.\n\n${fence}code()\n${fence.replace(/\w.*/, "")}`), fence)
    }
    assert.deepStrictEqual(findUncheckedBlocks("```ts\ncode()\n```\n\n```sh\nls\n```\n"), [])
  })

  it.each(blocksOf("yaml"))("YAML, $name → valid", ({ code }) => {
    assert.doesNotThrow(() => parse(code))
  })

  it.each(blocksOf("sh"))("shell, $name → bash parses it", ({ code }) => {
    const { status, stderr } = spawnSync("bash", ["-n"], { input: code, encoding: "utf8" })
    assert.deepStrictEqual([status, stderr], [0, ""])
  })

  it.each(blocksOf("json"))("JSON, $name → valid", ({ code }) => {
    assert.doesNotThrow(() => JSON.parse(code))
  })

  it.each(blocksOf("js"))("JavaScript, $name → parses as a module", ({ code }) => {
    assert.deepStrictEqual(
      parseSync("example.mjs", code).errors.map(({ message }) => message),
      []
    )
  })

  it("settings that pages name → exist", () => {
    const known = new Set(SourceFiles.read("docs/configuration.md").match(setting))
    const unknown = markdown
      .filter((path) => path.startsWith("docs/") || path === "README.md")
      .flatMap((path) => (SourceFiles.read(path).match(setting) ?? []).map((name) => `${path}: ${name}`))
      .filter((one) => !known.has(one.slice(one.indexOf(": ") + 2)) && !others.test(one))
    assert.deepStrictEqual(unknown, [])
  })
})
