/**
 * The addresses, documents and operations of the S3 API, without a server.
 */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Address from "../../src/s3/Address.ts"
import * as Dispatcher from "../../src/s3/Dispatcher.ts"
import type { Operation } from "../../src/s3/Operation.ts"
import * as Xml from "../../src/s3/xml/Xml.ts"
import * as ParseDocument from "../../src/s3/xml/ParseDocument.ts"
import * as XmlReader from "@holdfast/outbound/XmlReader"

const endpoint = { path: "/s3", host: "s3.example.com" }

const operation = (
  name: string,
  method: Operation["method"],
  target: Operation["target"],
  rest: Partial<Operation> = {}
): { readonly operation: Operation } => ({
  operation: { name, method, target, ...rest, make: Effect.succeed(() => Effect.succeed(HttpServerResponse.empty())) }
})

const find = Dispatcher.make([
  operation("GetObject", "GET", "object"),
  operation("PutObject", "PUT", "object"),
  operation("CopyObject", "PUT", "object", { header: "x-amz-copy-source" }),
  operation("UploadPart", "PUT", "object", { query: { partNumber: true, uploadId: true } }),
  operation("ListObjects", "GET", "bucket"),
  operation("ListObjectsV2", "GET", "bucket", { query: { "list-type": "2" } })
])

const nameOf = (method: string, url: string, headers: Readonly<Record<string, string>> = {}) =>
  Address.parse(endpoint, url, "127.0.0.1:8080").pipe(
    Effect.flatMap((address) => find({ ...address, method, headers })),
    Effect.match({ onFailure: ({ code }) => code, onSuccess: (found) => found.operation.name })
  )

describe("S3 addresses", () => {
  it.effect("path: bucket and key, encoded → decoded", () =>
    Effect.gen(function* () {
      const found = yield* Address.parse(endpoint, "/s3/photos/a%20b/c+d%2Fe?prefix=x+y%2F&list-type=2", "localhost")
      expect([found.bucket, found.key]).toEqual(["photos", "a b/c+d/e"])
      expect([...found.query]).toEqual([
        ["prefix", "x y/"],
        ["list-type", "2"]
      ])
    })
  )

  it.effect("host: subdomain of the S3 host → bucket, whole path → key", () =>
    Effect.gen(function* () {
      const { bucket, key } = yield* Address.parse(endpoint, "/a/b", "photos.S3.example.com:8443")
      expect([bucket, key]).toEqual(["photos", "a/b"])
      expect(Address.matches(endpoint, "/a", "photos.s3.example.com")).toBe(true)
      expect(Address.matches(endpoint, "/s3x/a", "example.com")).toBe(false)
    })
  )

  it.effect("malformed escape and key of 1,025 bytes → errors", () =>
    Effect.gen(function* () {
      expect((yield* Effect.flip(Address.parse(endpoint, "/s3/b/%zz", "h"))).code).toBe("InvalidURI")
      expect((yield* Effect.flip(Address.parse(endpoint, `/s3/b/${"k".repeat(1025)}`, "h"))).code).toBe(
        "KeyTooLongError"
      )
    })
  )
})

describe("S3 operations", () => {
  it.effect("method, target, query and header → the most specific operation", () =>
    Effect.gen(function* () {
      expect(yield* nameOf("GET", "/s3/b/k?versionId=null")).toBe("GetObject")
      expect(yield* nameOf("GET", "/s3/b/k?partNumber=1")).toBe("GetObject")
      expect(yield* nameOf("PUT", "/s3/b/k", { "x-amz-copy-source": "b/o" })).toBe("CopyObject")
      expect(yield* nameOf("PUT", "/s3/b/k?partNumber=1&uploadId=u", {})).toBe("UploadPart")
      expect(yield* nameOf("GET", "/s3/b/?list-type=2")).toBe("ListObjectsV2")
      expect(yield* nameOf("GET", "/s3/b?prefix=a")).toBe("ListObjects")
    })
  )

  it.effect("subresource without an operation → NotImplemented; other method → MethodNotAllowed", () =>
    Effect.gen(function* () {
      expect(yield* nameOf("GET", "/s3/b?lifecycle")).toBe("NotImplemented")
      expect(yield* nameOf("PUT", "/s3/b/k?partNumber=1")).toBe("NotImplemented")
      expect(yield* nameOf("PATCH", "/s3/b/k")).toBe("MethodNotAllowed")
    })
  )
})

describe("S3 documents", () => {
  const read = (text: string) => XmlReader.read(text, { maxElements: 1000 })

  it("written text → the same text when read", () => {
    const text = "<&>\"'\r\n]]> ü \u{1F600}"
    const root = read(
      Xml.document("A", [
        ["B", text],
        ["C", undefined],
        ["D", [["E", 1]]]
      ])
    )
    expect(root === undefined ? undefined : XmlReader.textOf(root, "B")).toBe(text)
    expect(root?.children.map(({ name }) => name)).toEqual(["B", "D"])
  })

  it("document type, deep nesting, malformed text → not read", () => {
    expect(read('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')).toBeUndefined()
    expect(read("<a>".repeat(1000))).toBeUndefined()
    expect(read("<a><b></a>")).toBeUndefined()
    expect(read("")).toBeUndefined()
  })

  it("many attributes, long text, many elements, tokens without an end → not read", () => {
    const attributes = (count: number) => Array.from({ length: count }, (_, index) => ` a${index}=""`).join("")
    expect(read(`<a${attributes(16)}/>`)?.name).toBe("a")
    expect(read(`<a${attributes(17)}/>`)).toBeUndefined()
    expect(read(`<a>${"&lt;".repeat(8192)}</a>`)?.text).toHaveLength(8192)
    expect(read(`<a>${"b".repeat(8192)}<!-- -->b</a>`)).toBeUndefined()
    expect(read(`<a>${"<b/>".repeat(999)}</a>`)?.children).toHaveLength(999)
    expect(read(`<a>${"<b/>".repeat(1000)}</a>`)).toBeUndefined()
    for (const token of ["<a>", "<a><!--", "<a><?b ", "<a><![CDATA[", '<a b="', "<a"]) {
      const reader = XmlReader.make({ maxElements: 1000 })
      expect(reader.write(token)).toBe(true)
      const parts = Array.from({ length: 3 }, () => reader.write("c".repeat(8192)))
      expect([parts.at(0), parts.at(-1)]).toEqual([true, false])
    }
  })

  it.effect("more large documents than slots → the others wait, tenants take turns; small ones do not wait", () =>
    Effect.gen(function* () {
      const parse = yield* ParseDocument.make
      const order: Array<string> = []
      const send = (tenantId: string, name: string, count: number) => {
        const bytes = Buffer.from(`<a>${`<b>${"&lt;".repeat(256)}</b>`.repeat(count)}</a>`)
        const parsed = parse(bytes, { maxBytes: bytes.length, maxElements: 10_000 }, tenantId)
        return Effect.map(parsed, (root) => void order.push(`${tenantId} ${name} ${root?.children.length}`))
      }
      const sent = [
        send("one", "large", 2000),
        send("one", "large", 2000),
        send("one", "medium", 200),
        send("one", "medium", 200),
        send("two", "medium", 201),
        send("two", "small", 10)
      ]
      yield* Effect.all(sent, { concurrency: "unbounded" })
      expect(order.slice(0, 2)).toEqual(["two small 10", "one large 2000"])
      const waited = order.filter((entry) => entry.includes("medium"))
      expect(waited).toEqual(["one medium 200", "two medium 201", "one medium 200"])
    })
  )

  it("long document with an element in each line → read", () => {
    const root = read(`<a>\r\n${"  <!-- one -->\r\n  <b><c>d</c></b>\r\n".repeat(400)}</a>`)
    expect(root?.children.map((child) => XmlReader.textOf(child, "c"))).toEqual(Array.from({ length: 400 }, () => "d"))
  })
})
