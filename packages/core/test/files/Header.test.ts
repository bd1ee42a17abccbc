import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Header from "@holdfast/core/files/Header"

const isHeader = Schema.is(Header.Header)

describe("Header", () => {
  it.each([
    ["content-type", "text/html"],
    ["Content-Language", "de"],
    ["content-disposition", "inline"],
    ["content-encoding", "gzip"],
    ["expires", "0"],
    ["X-Robots-Tag", "noindex"],
    ["X-Anything", ""],
    ["x-1", "v"],
    ["x-author", "Ada"],
    ["x-methodical-cachet", "v"],
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
    ["x-content-type-options", "x"],
    ["x-", "v"],
    ["x--a", "v"],
    ["x-a-", "v"],
    ["x-accel_redirect", "v"],
    ["x_accel-redirect", "v"]
  ])("schema: %j: %j → refused", (name, value) => {
    assert.isFalse(isHeader({ name, value }))
  })

  it.each([
    "Link",
    "Refresh",
    "Speculation-Rules",
    "SourceMap",
    "X-SourceMap",
    "Alt-Svc",
    "NEL",
    "Report-To",
    "Reporting-Endpoints",
    "Surrogate-Control",
    "Surrogate-Key",
    "CDN-Cache-Control",
    "Edge-Control",
    "Vary",
    "Age",
    "Pragma",
    "Warning",
    "Content-Location",
    "Content-Digest",
    "Content-Type-Options",
    "Permissions-Policy",
    "Cross-Origin-Resource-Policy",
    "Origin-Agent-Cluster",
    "Critical-CH",
    "Accept-CH",
    "No-Vary-Search",
    "Use-As-Dictionary",
    "Observe-Browsing-Topics",
    "Attribution-Reporting-Register-Source",
    "Set-Login",
    "Server",
    "Via",
    "X-Accel-Redirect",
    "X-Accel-Expires",
    "X-Accel-Buffering",
    "X-Sendfile",
    "X-Sendfile2",
    "X-Sendfile-Type",
    "X-LIGHTTPD-send-file",
    "X-Reproxy-URL",
    "X-Reproxy-File",
    "X-Archive-Files",
    "X-AppEngine-BlobKey",
    "X-Cascade",
    "X-Body-Eval",
    "X-Body-File",
    "X-Accelerator-Vary",
    "X-Envoy-Immediate-Health-Check-Fail",
    "X-Middleware-Rewrite",
    "X-LiteSpeed-Cache-Control",
    "X-Varnish",
    "X-Cache",
    "X-Cache-Tags",
    "X-Amz-Meta-A",
    "X-Goog-Meta-A",
    "X-MS-Meta-A",
    "X-Forwarded-For",
    "X-Forwarded",
    "X-Real-IP",
    "X-HTTP-Method-Override",
    "X-Original-URL",
    "X-Frame-Options",
    "X-XSS-Protection",
    "X-UA-Compatible",
    "X-DNS-Prefetch-Control",
    "X-Download-Options",
    "X-WebKit-CSP",
    "X-Content-Security-Policy",
    "X-Pingback",
    "X-Api-Key",
    "X-Request-Id"
  ])("schema: %s, which browsers, proxies or the service act upon → refused", (name) => {
    for (const written of [name, name.toLowerCase(), name.toUpperCase()]) {
      assert.isFalse(isHeader({ name: written, value: "v" }))
    }
  })

  it("sent: a stored header whose name is refused → left out", () => {
    const headers = ["x-a", "Link", "Cache-Control"].map((name) => ({ name, value: "v" }))
    assert.deepStrictEqual(
      Header.sent(headers).map(({ name }) => name),
      ["x-a", "Cache-Control"]
    )
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
