import * as FastCheck from "fast-check"
import { expect, it } from "vitest"
import * as Markup from "../../src/players/Markup.ts"

/** Any code unit, halves of surrogate pairs too. */
const unit = FastCheck.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code))

it("escapes what means something in HTML", () => {
  expect(Markup.escape(`</title><b a="1" c='2'>&amp;`)).toBe(
    "&lt;/title&gt;&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;"
  )
})

it("replaces what no HTML may hold", () => {
  expect(Markup.escape("a\0b\x1bc\ud800d\ufffee")).toBe("a\ufffdb\ufffdc\ufffdd\ufffde")
  expect(Markup.escape("\tSmile 😀\n")).toBe("\tSmile 😀\n")
})

it("writes attributes", () => {
  expect(Markup.attribute("loop", true)).toBe(" loop")
  expect(Markup.attribute("loop", false)).toBe("")
  expect(Markup.attribute("poster", undefined)).toBe("")
  expect(Markup.attribute("width", 5)).toBe(' width="5"')
  expect(Markup.attribute("poster", '"><script>')).toBe(' poster="&quot;&gt;&lt;script&gt;"')
})

it("writes data that no text in it can end, and that is read back as it was", () => {
  expect(Markup.data({ a: "</script><!--\u2028" })).toBe('{"a":"\\u003c/script\\u003e\\u003c!--\\u2028"}')
  FastCheck.assert(
    FastCheck.property(FastCheck.jsonValue(), (value) => {
      const text = Markup.data(value)
      expect(text).not.toMatch(/[<>&]/)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
    })
  )
})

it("leaves no way out of an element or an attribute, whatever the text", () => {
  FastCheck.assert(
    FastCheck.property(FastCheck.string({ unit }), (text) => {
      expect(Markup.escape(text)).not.toMatch(/[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/)
    })
  )
})
