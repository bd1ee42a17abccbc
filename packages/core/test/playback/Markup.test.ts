import * as FastCheck from "fast-check"
import { expect, it } from "vitest"
import * as Markup from "../../src/playback/Markup.ts"

/** Any code unit, including lone surrogates. */
const unit = FastCheck.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code))

it("escape: special characters → references", () => {
  expect(Markup.escape(`</title><b a="1" c='2'>&amp;`)).toBe(
    "&lt;/title&gt;&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;"
  )
})

it("escape: forbidden characters → replaced", () => {
  expect(Markup.escape("a\0b\x1bc\ud800d\ufffee")).toBe("a\ufffdb\ufffdc\ufffdd\ufffde")
  expect(Markup.escape("\tSmile 😀\n")).toBe("\tSmile 😀\n")
})

it("attribute: any value → attribute text, escaped", () => {
  expect(Markup.attribute("loop", true)).toBe(" loop")
  expect(Markup.attribute("loop", false)).toBe("")
  expect(Markup.attribute("poster", undefined)).toBe("")
  expect(Markup.attribute("width", 5)).toBe(' width="5"')
  expect(Markup.attribute("poster", '"><script>')).toBe(' poster="&quot;&gt;&lt;script&gt;"')
})

it("data: any JSON value → cannot end the element, and parses to the same value", () => {
  expect(Markup.data({ a: "</script><!--\u2028" })).toBe('{"a":"\\u003c/script\\u003e\\u003c!--\\u2028"}')
  FastCheck.assert(
    FastCheck.property(FastCheck.jsonValue(), (value) => {
      const text = Markup.data(value)
      expect(text).not.toMatch(/[<>&]/)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
    })
  )
})

it("escape: any text → cannot end an element or attribute", () => {
  FastCheck.assert(
    FastCheck.property(FastCheck.string({ unit }), (text) => {
      expect(Markup.escape(text)).not.toMatch(/[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/)
    })
  )
})
