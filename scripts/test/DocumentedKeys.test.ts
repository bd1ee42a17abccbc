/**
 * Checks that no page for browsers, in documentation and examples, contains an API key: every visitor could read and use it.
 */
import { assert, describe, it } from "vitest"
import * as SourceFiles from "../checks/SourceFiles.ts"

const isPage = (path: string): boolean => path.endsWith(".md") || path.endsWith(".html")

const documents = [
  "README.md",
  ...["docs", "examples", "packages"].flatMap((directory) => SourceFiles.listBelow(directory)).filter(isPage)
].map((path) => ({ path, text: SourceFiles.read(path) }))

/** Returns the code for pages: blocks of HTML, and elements that load an address. */
const codeForPages = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^```(?:html|jsx|tsx|vue)\n.*?^```|<(?:iframe|img|video|audio|a|script|form)\b[^>]*>/gms)].map(
    ([code]) => code
  )

/** A key in an address that is none of a link (`hfl_`, `hfu_`) or of a stream (`hfp_`). */
const otherKey = /\bapiKey=(?!hf[a-z]_)[^\s"'`&]*/g

describe("keys in documentation", () => {
  it.each(documents)("$path → no address with an API key, no API key in code for pages", ({ text }) => {
    assert.deepStrictEqual(text.match(/apiKey=hf_[^\s"'`&]*/g), null)
    for (const code of codeForPages(text)) {
      assert.deepStrictEqual(code.match(otherKey), null)
      assert.notMatch(code, /\bhf_/)
    }
  })
})
