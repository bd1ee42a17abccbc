import { assert, describe, it } from "@effect/vitest"
import * as ContentSecurity from "@holdfast/core/files/ContentSecurity"
import * as ContentHeaders from "../../src/transfer/response/ContentHeaders.ts"

const content: ContentHeaders.ContentDescription = {
  etag: '"abc"',
  lastModified: Date.UTC(2025, 6, 1, 12),
  contentType: "text/plain",
  size: 3,
  headers: [],
  name: "a.txt",
  disposition: "inline"
}
const now = Date.UTC(2026, 0, 1)

describe("ContentHeaders.make", () => {
  it("no headers of the file's own → the defaults", () => {
    assert.deepStrictEqual(ContentHeaders.make(content, now), {
      "content-type": "text/plain",
      "content-disposition": "inline; filename=\"a.txt\"; filename*=UTF-8''a.txt",
      "cache-control": "private, no-cache",
      etag: '"abc"',
      "last-modified": "Tue, 01 Jul 2025 12:00:00 GMT",
      "accept-ranges": "bytes",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "content-security-policy": ContentSecurity.policyOf("text/plain")
    })
  })

  it("headers of the file's own → they replace the defaults", () => {
    const headers = ContentHeaders.make(
      {
        ...content,
        headers: [
          { name: "Content-Type", value: "text/markdown" },
          { name: "Cache-Control", value: "public, max-age=60" },
          { name: "content-disposition", value: "attachment" },
          { name: "X-Mine", value: "1" }
        ]
      },
      now
    )
    assert.strictEqual(headers["content-type"], "text/markdown")
    assert.strictEqual(headers["cache-control"], "private, max-age=60")
    assert.strictEqual(headers["content-disposition"], "attachment")
    assert.strictEqual(headers["x-mine"], "1")
    assert.strictEqual(headers["content-security-policy"], ContentSecurity.policyOf("text/plain"))
  })

  it("own Content-Type → it decides about the sandbox", () => {
    const typed = (contentType: string, own: string): string | undefined =>
      ContentHeaders.make({ ...content, contentType, headers: [{ name: "content-type", value: own }] }, now)[
        "content-security-policy"
      ]
    assert.match(typed("text/plain", "text/html") ?? "", /^sandbox; default-src 'none'/)
    assert.match(typed("text/html", "text/plain") ?? "", /^default-src 'none'/)
    assert.strictEqual(
      ContentHeaders.make({ ...content, contentType: "image/svg+xml" }, now)["content-security-policy"],
      ContentSecurity.policyOf("image/svg+xml")
    )
  })

  it("own security headers and validators → ignored", () => {
    const names = [
      "Referrer-Policy",
      "X-Content-Type-Options",
      "ETag",
      "Last-Modified",
      "Accept-Ranges",
      "Content-Security-Policy"
    ]
    const own = names.map((name) => ({ name, value: "mine" }))
    const headers = ContentHeaders.make({ ...content, contentType: "text/html", headers: own }, now)
    assert.isFalse(Object.values(headers).includes("mine"))
  })

  it("stored headers of an earlier version whose names are refused now → not sent", () => {
    const own = ["Link", "X-Accel-Redirect", "Surrogate-Control", "x-mine"].map((name) => ({ name, value: "mine" }))
    const headers = ContentHeaders.make({ ...content, headers: own }, now)
    assert.deepStrictEqual(
      Object.keys(headers).filter((name) => headers[name] === "mine"),
      ["x-mine"]
    )
  })

  it("content dated in the future → Last-Modified is now", () => {
    const headers = ContentHeaders.make({ ...content, lastModified: now + 60_000 }, now)
    assert.strictEqual(headers["last-modified"], "Thu, 01 Jan 2026 00:00:00 GMT")
  })
})
