import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Header from "@holdfast/core/files/Header"

const isHeader = Schema.is(Header.Header)

describe("Header", () => {
  it.each([
    ["content-type", "text/html"],
    ["X-Anything", ""],
    ["cache-control", "public, max-age=3600"],
    ["x-latin", "caf\u00e9"],
    ["x-tabs", "a\tb"]
  ])("schema: %s: %j → accepted", (name, value) => {
    assert.isTrue(isHeader({ name, value }))
  })

  it.each([
    ["", "x"],
    ["a b", "x"],
    ["a:", "x"],
    ["a\r\nb", "x"],
    ["ä", "x"],
    ["x-a", "a\r\nset-cookie: b"],
    ["x-a", "a\nb"],
    ["x-a", "a\0b"],
    ["x-a", " leading"],
    ["x-a", "trailing "],
    ["x-a", "\u2028"],
    ["x-a", "\u0100"],
    ["Set-Cookie", "a=b"],
    ["CONTENT-LENGTH", "1"],
    ["transfer-encoding", "chunked"],
    ["Connection", "close"],
    ["content-range", "bytes 0-0/1"],
    ["accept-ranges", "none"],
    ["ETag", '"x"'],
    ["Last-Modified", "x"],
    ["date", "x"],
    ["location", "/"],
    ["referrer-policy", "unsafe-url"],
    ["Clear-Site-Data", "*"],
    ["service-worker-allowed", "/"],
    ["strict-transport-security", "x"],
    ["Access-Control-Allow-Origin", "*"],
    ["access-control-anything", "*"],
    ["content-security-policy", "x"],
    ["x-content-type-options", "x"]
  ])("schema: %j: %j → refused", (name, value) => {
    assert.isFalse(isHeader({ name, value }))
  })

  it("merge: existing name in another case → replaced at its position; new name → appended", () => {
    const merged = Header.merge(
      [
        { name: "A", value: "1" },
        { name: "b", value: "2" }
      ],
      [
        { name: "a", value: "3" },
        { name: "c", value: "4" }
      ]
    )
    assert.deepStrictEqual(merged, [
      { name: "a", value: "3" },
      { name: "b", value: "2" },
      { name: "c", value: "4" }
    ])
    assert.strictEqual(Header.valueOf(merged, "C"), "4")
  })

  it("excess: more than 64 headers or 8192 bytes → a fault", () => {
    const many = (count: number, value: string) => Array.from({ length: count }, (_, i) => ({ name: `x-${i}`, value }))
    assert.isUndefined(Header.excess(many(64, "v")))
    assert.isDefined(Header.excess(many(65, "v")))
    assert.isDefined(Header.excess(many(2, "v".repeat(4096))))
  })
})
