/**
 * Reading contents over HTTP: ranges and conditions by RFC 9110, file names, and the sandbox for documents with scripts.
 */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as TestServer from "../support/TestServer.ts"

const text = "0123456789"

describe("read a content", () => {
  let server: TestServer.TestServer
  let bucket: { readonly tenantId: string; readonly bucketId: string }
  let file: string
  let empty: string
  let etag: string
  let modified: Date

  beforeAll(async () => {
    server = await TestServer.start()
    bucket = await server.makeBucket()
    file = (await server.makeFile(bucket, text)).path
    empty = (await server.makeFile(bucket, "")).path
    const head = await server.head(`${file}/view`)
    etag = head.headers.get("etag") ?? ""
    modified = new Date(head.headers.get("last-modified") ?? "")
  })
  afterAll(() => server.close())

  const view = (headers: Record<string, string>, path = file) => server.get(`${path}/view`, { headers })

  describe("ranges", () => {
    const cases: ReadonlyArray<readonly [range: string, status: number, body: string, contentRange?: string]> = [
      ["bytes=0-0", 206, "0", "bytes 0-0/10"],
      ["bytes=2-4", 206, "234", "bytes 2-4/10"],
      ["bytes=8-", 206, "89", "bytes 8-9/10"],
      ["bytes=8-99", 206, "89", "bytes 8-9/10"],
      ["bytes=-3", 206, "789", "bytes 7-9/10"],
      ["bytes=-99", 206, text, "bytes 0-9/10"],
      ["BYTES=1-1", 206, "1", "bytes 1-1/10"],
      ["bytes=10-", 416, "", "bytes */10"],
      ["bytes=99-100", 416, "", "bytes */10"],
      ["bytes=-0", 416, "", "bytes */10"],
      ["bytes=4-2", 200, text],
      ["bytes=a-b", 200, text],
      ["bytes=", 200, text],
      ["bytes=-", 200, text],
      ["bytes 0-1", 200, text],
      ["lines=0-1", 200, text]
    ]
    for (const [range, status, body, contentRange] of cases) {
      it(`${range} → ${status}`, async () => {
        const response = await view({ range })
        assert.strictEqual(response.status, status)
        assert.strictEqual(response.headers.get("content-range"), contentRange ?? null)
        const sent = await response.text()
        if (status === 416) assert.include(sent, "range_not_satisfiable")
        else assert.strictEqual(sent, body)
        if (status !== 416) assert.strictEqual(response.headers.get("accept-ranges"), "bytes")
      })
    }

    it("several ranges → multipart/byteranges with the right Content-Length", async () => {
      const response = await view({ range: "bytes=0-1,4-5,-1" })
      assert.strictEqual(response.status, 206)
      const [, boundary = ""] =
        /^multipart\/byteranges; boundary=(\S+)$/.exec(response.headers.get("content-type") ?? "") ?? []
      const body = await response.text()
      assert.strictEqual(Number(response.headers.get("content-length")), body.length)
      const parts = body.split(`--${boundary}`).slice(1, -1)
      assert.deepStrictEqual(
        parts.map((part) => [/content-range: (.*)\r/i.exec(part)?.[1], part.split("\r\n\r\n")[1]?.trimEnd()]),
        [
          ["bytes 0-1/10", "01"],
          ["bytes 4-5/10", "45"],
          ["bytes 9-9/10", "9"]
        ]
      )
    })

    it("500 overlapping ranges → no more bytes than the content has", async () => {
      const response = await view({ range: `bytes=${Array.from({ length: 500 }, () => "0-").join(",")}` })
      const body = await response.text()
      assert.include([200, 206], response.status)
      assert.isBelow(body.length, 1000)
    })

    it("range of an empty content → 416; no range → 200", async () => {
      assert.strictEqual((await view({ range: "bytes=0-" }, empty)).status, 416)
      assert.strictEqual((await view({}, empty)).status, 200)
    })
  })

  describe("conditions", () => {
    const day = 86_400_000
    const asctime = (date: Date): string => {
      const [weekday, dayOfMonth, month, year, time] = date.toUTCString().replace(",", "").split(" ")
      return `${weekday} ${month} ${String(Number(dayOfMonth)).padStart(2, " ")} ${time} ${year}`
    }
    const rfc850 = (date: Date): string => {
      const weekday = date.toLocaleDateString("en-US", { weekday: "long", timeZone: "UTC" })
      const [, dayOfMonth, month, year = "", time] = date.toUTCString().replace(",", "").split(" ")
      return `${weekday}, ${dayOfMonth}-${month}-${year.slice(2)} ${time} GMT`
    }
    const before = () => new Date(modified.getTime() - day)
    const after = () => new Date(modified.getTime() + day)
    const weak = () => `W/${etag}`
    const cases: ReadonlyArray<readonly [string, () => Record<string, string>, number]> = [
      ["If-None-Match with the tag", () => ({ "if-none-match": etag }), 304],
      ["If-None-Match with the tag, weak", () => ({ "if-none-match": weak() }), 304],
      ["If-None-Match with a list that contains the tag", () => ({ "if-none-match": `"a", ${etag}, "b"` }), 304],
      ["If-None-Match: *", () => ({ "if-none-match": "*" }), 304],
      ["If-None-Match with another tag", () => ({ "if-none-match": '"a"' }), 200],
      ["If-Modified-Since with the date", () => ({ "if-modified-since": modified.toUTCString() }), 304],
      ["If-Modified-Since with the date in RFC 850", () => ({ "if-modified-since": rfc850(modified) }), 304],
      ["If-Modified-Since with the date in asctime", () => ({ "if-modified-since": asctime(modified) }), 304],
      ["If-Modified-Since with an earlier date", () => ({ "if-modified-since": before().toUTCString() }), 200],
      ["If-Modified-Since malformed", () => ({ "if-modified-since": "yesterday" }), 200],
      [
        "If-None-Match takes precedence over If-Modified-Since",
        () => ({ "if-none-match": '"a"', "if-modified-since": after().toUTCString() }),
        200
      ],
      ["If-Match with the tag", () => ({ "if-match": etag }), 200],
      ["If-Match with the tag, weak", () => ({ "if-match": weak() }), 412],
      ["If-Match with another tag", () => ({ "if-match": '"a"' }), 412],
      ["If-Match: *", () => ({ "if-match": "*" }), 200],
      ["If-Unmodified-Since with an earlier date", () => ({ "if-unmodified-since": before().toUTCString() }), 412],
      ["If-Unmodified-Since with a later date", () => ({ "if-unmodified-since": after().toUTCString() }), 200],
      [
        "If-Match takes precedence over If-Unmodified-Since",
        () => ({ "if-match": etag, "if-unmodified-since": before().toUTCString() }),
        200
      ],
      ["If-Range with the tag", () => ({ range: "bytes=0-0", "if-range": etag }), 206],
      ["If-Range with the tag, weak", () => ({ range: "bytes=0-0", "if-range": weak() }), 200],
      ["If-Range with another tag", () => ({ range: "bytes=0-0", "if-range": '"a"' }), 200],
      ["If-Range with another date", () => ({ range: "bytes=0-0", "if-range": before().toUTCString() }), 200],
      ["If-None-Match takes precedence over Range", () => ({ range: "bytes=0-0", "if-none-match": etag }), 304],
      ["If-Match takes precedence over Range", () => ({ range: "bytes=99-", "if-match": '"a"' }), 412]
    ]
    for (const [condition, headers, status] of cases) {
      it(`${condition} → ${status}`, async () => {
        const response = await view(headers())
        const body = await response.text()
        assert.strictEqual(response.status, status)
        if (status === 304) {
          assert.strictEqual(body, "")
          assert.strictEqual(response.headers.get("etag"), etag)
        }
      })
    }
  })

  it("HEAD → the headers of GET, no body", async () => {
    for (const path of [file, empty]) {
      for (const way of ["view", "download"]) {
        const get = await server.get(`${path}/${way}`)
        const head = await server.head(`${path}/${way}`)
        assert.strictEqual(head.status, 200)
        assert.strictEqual(await head.text(), "")
        for (const name of ["content-length", "content-type", "etag", "last-modified", "content-disposition"]) {
          assert.strictEqual(head.headers.get(name), get.headers.get(name), name)
        }
        await get.text()
      }
    }
  })

  it("file name with any characters → decoded unchanged from Content-Disposition, without direction marks", async () => {
    const names = [
      "plain.txt",
      'quo"te.txt',
      "back\\slash.txt",
      "Grüße.txt",
      "日本語.txt",
      "😀.txt",
      "a;b=c.txt",
      "100%.txt",
      "x".repeat(251) + ".txt"
    ]
    for (const name of names) {
      const { path } = await server.makeFile(bucket, "x", { name })
      const response = await server.get(`${path}/download`)
      const disposition = response.headers.get("content-disposition") ?? ""
      assert.match(disposition, /^attachment; filename="[\u0020-\u007e]*"; filename\*=UTF-8''\S+$/)
      const [, encoded = ""] = /filename\*=UTF-8''(.*)$/.exec(disposition) ?? []
      assert.strictEqual(decodeURIComponent(encoded), name)
    }
    const { path } = await server.makeFile(bucket, "x", { name: "evil\u202Etxt.exe" })
    const shown = (await server.get(`${path}/view`)).headers.get("content-disposition") ?? ""
    assert.match(shown, /^inline; /)
    assert.notInclude(decodeURIComponent(shown), "\u202E")
  })

  it("NFC and NFD spellings of a name → 409", async () => {
    const composed = "\u00e9t\u00e9.txt"
    await server.makeFile(bucket, "x", { name: composed })
    const form = new FormData()
    form.append("body", JSON.stringify({ name: composed.normalize("NFD") }))
    form.append("file", new Blob(["y"]))
    const files = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`
    assert.strictEqual((await server.post(`${files}/upload`, { body: form })).status, 409)
  })

  const documents: ReadonlyArray<readonly [string, string]> = [
    ["page.html", "<!doctype html><script>alert(1)</script>"],
    ["page.png", "<html><script>alert(1)</script>"],
    ["picture.svg", '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ["data.xml", '<?xml version="1.0"?><x/>']
  ]
  for (const [name, content] of documents) {
    it(`${name} → sandboxed`, async () => {
      const { path } = await server.makeFile(bucket, content, { name })
      const response = await server.get(`${path}/view`)
      assert.match(response.headers.get("content-security-policy") ?? "", /^sandbox; default-src 'none'/)
      assert.strictEqual(response.headers.get("x-content-type-options"), "nosniff")
      assert.strictEqual(response.headers.get("referrer-policy"), "no-referrer")
    })
  }

  it("own Content-Type text/html → sandboxed, own headers sent", async () => {
    const { path } = await server.makeFile(bucket, "just text", {
      name: "a.txt",
      headers: [
        { name: "Content-Type", value: "text/html" },
        { name: "Cache-Control", value: "public, max-age=60" },
        { name: "X-Mine", value: "yes" }
      ]
    })
    const { headers } = await server.get(`${path}/view`)
    assert.strictEqual(headers.get("content-type"), "text/html")
    assert.match(headers.get("content-security-policy") ?? "", /^sandbox;/)
    assert.strictEqual(headers.get("cache-control"), "private, max-age=60")
    assert.strictEqual(headers.get("x-mine"), "yes")
  })
})
