import { assert, describe, it } from "@effect/vitest"
import * as ContentSecurity from "@holdfast/core/files/ContentSecurity"

describe("ContentSecurity.isSandboxed", () => {
  it.each([
    "text/html",
    "TEXT/HTML",
    "text/html; charset=utf-8",
    "text/html;charset=utf-8",
    "text/html ; a=b",
    "application/xhtml+xml",
    "application/vnd.wap.xhtml+xml",
    "image/svg+xml",
    "image/SVG+XML; charset=utf-8",
    "image/svg",
    "text/xml",
    "application/xml",
    "application/xml-dtd",
    "application/xml-external-parsed-entity",
    "application/rss+xml",
    "application/mathml+xml",
    "application/xslt+xml",
    "text/xsl",
    "multipart/x-mixed-replace; boundary=x",
    "multipart/related",
    "message/rfc822",
    // lists, of which browsers use the last type; malformed types
    "text/plain, text/html",
    'text/plain; a=","; b, text/html',
    "",
    "text",
    "text/",
    "/html",
    "text/html/plain",
    "text /plain",
    'text/plain; a="b',
    "*/*",
    "unknown/unknown",
    "application/unknown"
  ])("%j → sandboxed", (type) => {
    assert.isTrue(ContentSecurity.isSandboxed(type))
  })

  it.each([
    "text/plain",
    "text/plain; charset=utf-8",
    'text/plain; a="b, text/html"',
    "text/css",
    "text/javascript",
    "text/csv",
    "text/markdown",
    "application/json",
    "application/ld+json",
    "application/octet-stream",
    "application/pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.oasis.opendocument.text",
    "application/wasm",
    "image/png",
    "video/mp4",
    'video/mp4; codecs="avc1.64001f, mp4a.40.2"',
    "audio/ogg",
    "font/woff2"
  ])("%j → not sandboxed", (type) => {
    assert.isFalse(ContentSecurity.isSandboxed(type))
  })
})

describe("ContentSecurity.policyOf", () => {
  it.each(["text/html", "image/svg+xml", "", "text/plain", "image/png", "video/mp4", "application/pdf"])(
    "%j → nothing from other origins, scripts never",
    (type) => {
      const directives = new Map(
        ContentSecurity.policyOf(type)
          .split("; ")
          .map((directive) => [directive.split(" ", 1)[0], directive.split(" ").slice(1)])
      )
      assert.deepStrictEqual(directives.get("default-src"), ["'none'"])
      assert.isFalse(directives.has("script-src"))
      const sources = new Set([...directives.values()].flat())
      for (const source of sources) assert.include(["'none'", "'self'", "'unsafe-inline'", "data:"], source)
      assert.strictEqual(directives.has("sandbox"), ContentSecurity.isSandboxed(type))
    }
  )
})
