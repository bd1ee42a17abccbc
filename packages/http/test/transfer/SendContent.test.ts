import { assert, describe, it } from "@effect/vitest"
import { etagOf } from "@holdfast/core/files/File"
import { BlobError } from "@holdfast/core/storage/BlobError"
import type { ByteRange } from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as FastCheck from "fast-check"
import { createHash } from "node:crypto"
import * as Fs from "node:fs"
import * as ContentSecurity from "@holdfast/core/files/ContentSecurity"
import * as SendContent from "../../src/transfer/response/SendContent.ts"
import { type Response as RawResponse, connect, listen, until } from "./support/NodeApp.ts"
import { openCount, pattern, tempFile } from "./support/TempFiles.ts"

const lastModified = Date.UTC(2025, 6, 1, 12)
const date = "Tue, 01 Jul 2025 12:00:00 GMT"
const extraHeaders = { "x-request-id": "r1", vary: "Origin" }

const contentOf = (bytes: Uint8Array, rest: Partial<SendContent.Content> = {}): SendContent.Content => ({
  size: bytes.length,
  etag: '"tag"',
  lastModified,
  contentType: "text/plain",
  headers: [{ name: "X-Own", value: "1" }],
  name: "a.txt",
  disposition: "inline",
  read: (range?: ByteRange) => {
    const part = range === undefined ? bytes : bytes.subarray(range.offset, range.offset + range.length)
    return Stream.fromIterable([part.subarray(0, 3), part.subarray(3)])
  },
  localFile: undefined,
  check: Effect.void,
  reportDamage: Effect.void,
  ...rest
})

type Send = (method: string, headers?: Readonly<Record<string, string>>) => Effect.Effect<RawResponse>

/** Responds with the content, or with 500 and the tag of the error. */
const app = (content: SendContent.Content) => (request: HttpServerRequest.HttpServerRequest) =>
  SendContent.send(request, content, extraHeaders).pipe(
    Effect.catch((error) => Effect.succeed(HttpServerResponse.text(error._tag, { status: 500 })))
  )

const overNode = Effect.fnUntraced(function* (
  content: SendContent.Content
): Effect.fn.Return<Send, never, Scope.Scope> {
  const { port } = yield* listen(app(content))
  const client = yield* connect(port)
  return (method, headers = {}) =>
    Effect.promise(() => {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
      client.send(`${method} / HTTP/1.1\r\nHost: a\r\n${lines.join("")}\r\n`)
      return client.response(method === "HEAD")
    })
})

const overWeb = (content: SendContent.Content): Effect.Effect<Send> => {
  const handler = HttpEffect.toWebHandler(Effect.flatMap(HttpServerRequest.HttpServerRequest, app(content)))
  return Effect.succeed((method, headers = {}) =>
    Effect.promise(async () => {
      const response = await handler(new Request("http://a/", { method, headers }))
      const body = Buffer.from(await response.arrayBuffer())
      return { status: response.status, headers: Object.fromEntries(response.headers), body }
    })
  )
}

/** The three ways in which bytes are sent to a client. */
const ways: ReadonlyArray<
  readonly [string, (bytes: Uint8Array, rest?: Partial<SendContent.Content>) => Effect.Effect<Send, never, Scope.Scope>]
> = [
  [
    "a local file over Node",
    (bytes, rest) =>
      Effect.flatMap(tempFile(bytes), (localFile) => {
        const read = () => Stream.die("The file must not be streamed.")
        return overNode(contentOf(bytes, { localFile, read, ...rest }))
      })
  ],
  ["a stream over Node", (bytes, rest) => overNode(contentOf(bytes, rest))],
  ["a stream over a web handler", (bytes, rest) => overWeb(contentOf(bytes, { localFile: "/not/used", ...rest }))]
]

const small = Buffer.from("0123456789")

describe.each(ways)("SendContent.send: %s", (_, serve) => {
  it.live("GET → 200 with all bytes and headers", () =>
    Effect.gen(function* () {
      const { body, headers, status } = yield* (yield* serve(small))("GET")
      assert.strictEqual(status, 200)
      assert.strictEqual(body.toString(), "0123456789")
      assert.strictEqual(headers["content-length"], "10")
      assert.strictEqual(headers["content-type"], "text/plain")
      assert.strictEqual(headers["etag"], '"tag"')
      assert.strictEqual(headers["last-modified"], date)
      assert.strictEqual(headers["accept-ranges"], "bytes")
      assert.strictEqual(headers["x-content-type-options"], "nosniff")
      assert.strictEqual(headers["content-disposition"], "inline; filename=\"a.txt\"; filename*=UTF-8''a.txt")
      assert.strictEqual(headers["x-request-id"], "r1")
      assert.deepStrictEqual([headers["vary"], headers["x-own"]], ["Origin", "1"])
      assert.isUndefined(headers["content-range"])
    })
  )

  it.live.each([1, 4095, 4096, 65_536, 65_537, 1_000_003])("GET: %d bytes → the same bytes, three times", (size) =>
    Effect.gen(function* () {
      const bytes = pattern(size)
      const get = yield* serve(bytes)
      for (let round = 0; round < 3; round++) assert.isTrue((yield* get("GET")).body.equals(bytes))
    })
  )

  it.live("GET: empty content → 200; a range of it → RangeNotSatisfiable", () =>
    Effect.gen(function* () {
      const get = yield* serve(Buffer.alloc(0))
      for (const headers of [{}, { range: "bytes=-5" }]) {
        const answer = yield* get("GET", headers)
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(answer.headers["content-length"], "0")
        assert.strictEqual(answer.body.length, 0)
      }
      assert.strictEqual((yield* get("GET", { range: "bytes=0-" })).body.toString(), "RangeNotSatisfiable")
    })
  )

  it.live("HEAD → the headers of GET, no bytes, no ranges", () =>
    Effect.gen(function* () {
      const { body, headers, status } = yield* (yield* serve(small))("HEAD", { range: "bytes=0-1" })
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["content-length"], "10")
      assert.strictEqual(headers["etag"], '"tag"')
      assert.isUndefined(headers["content-range"])
      assert.strictEqual(body.length, 0)
    })
  )

  it.live.each([
    ["bytes=0-0", "0", "bytes 0-0/10"],
    ["bytes=3-5", "345", "bytes 3-5/10"],
    ["bytes=7-", "789", "bytes 7-9/10"],
    ["bytes=-2", "89", "bytes 8-9/10"],
    ["bytes=-99", "0123456789", "bytes 0-9/10"],
    ["bytes=0-2,2-4", "01234", "bytes 0-4/10"]
  ] as const)("GET: %s → 206 with one range", ([range, text, contentRange]) =>
    Effect.gen(function* () {
      const { body, headers, status } = yield* (yield* serve(small))("GET", { range })
      assert.strictEqual(status, 206)
      assert.strictEqual(body.toString(), text)
      assert.strictEqual(headers["content-range"], contentRange)
      assert.strictEqual(headers["content-length"], `${text.length}`)
      assert.strictEqual(headers["content-type"], "text/plain")
    })
  )

  it.live("GET: several ranges → 206 with multipart/byteranges", () =>
    Effect.gen(function* () {
      const { body, headers, status } = yield* (yield* serve(small))("GET", { range: "bytes=0-1,-2" })
      assert.strictEqual(status, 206)
      assert.isUndefined(headers["content-range"])
      const [, boundary] = /^multipart\/byteranges; boundary=([\w-]+)$/.exec(headers["content-type"] ?? "") ?? []
      assert.isDefined(boundary)
      assert.strictEqual(headers["content-length"], `${body.length}`)
      const parts = body.toString().split(`--${boundary}`)
      assert.deepStrictEqual(parts, [
        "",
        "\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-1/10\r\n\r\n01\r\n",
        "\r\nContent-Type: text/plain\r\nContent-Range: bytes 8-9/10\r\n\r\n89\r\n",
        "--\r\n"
      ])
    })
  )

  it.live.each([
    [{ "if-none-match": '"tag"' }, 304],
    [{ "if-none-match": '"tag"', range: "bytes=0-1" }, 304],
    [{ "if-modified-since": date }, 304],
    [{ "if-none-match": '"x"', range: "bytes=0-1" }, 206],
    [{ "if-range": '"tag"', range: "bytes=0-1" }, 206],
    [{ "if-range": date, range: "bytes=0-1" }, 206],
    [{ "if-range": '"x"', range: "bytes=0-1" }, 200],
    [{ "if-range": '"x"', range: "bytes=99-" }, 200],
    [{ range: "rubbish" }, 200]
  ] as const)("GET: %j → %d", ([headers, status]) =>
    Effect.gen(function* () {
      const answer = yield* (yield* serve(small))("GET", headers as Readonly<Record<string, string>>)
      assert.strictEqual(answer.status, status)
      assert.strictEqual(answer.headers["etag"], '"tag"')
      if (status === 304) {
        assert.strictEqual(answer.body.length, 0)
        assert.isUndefined(answer.headers["content-length"])
      }
    })
  )

  it.live("GET: unsatisfiable range, failed condition → RangeNotSatisfiable, PreconditionFailed first", () =>
    Effect.gen(function* () {
      const get = yield* serve(small)
      assert.strictEqual((yield* get("GET", { range: "bytes=10-" })).body.toString(), "RangeNotSatisfiable")
      assert.strictEqual((yield* get("GET", { "if-match": '"x"' })).body.toString(), "PreconditionFailed")
      assert.strictEqual(
        (yield* get("GET", { "if-match": '"x"', range: "bytes=10-" })).body.toString(),
        "PreconditionFailed"
      )
    })
  )

  it.live("GET: own Content-Type text/html → sandbox, own headers", () =>
    Effect.gen(function* () {
      const own = [
        { name: "Content-Type", value: "text/html" },
        { name: "X-Mine", value: "\u00e9" }
      ]
      const { headers } = yield* (yield* serve(small, { headers: own }))("GET")
      assert.strictEqual(headers["content-type"], "text/html")
      assert.strictEqual(headers["content-security-policy"], ContentSecurity.policyOf("text/html"))
      assert.strictEqual(headers["x-mine"], "\u00e9")
    })
  )
})

describe("SendContent.send", () => {
  it.live("any range → exactly its bytes", () =>
    Effect.gen(function* () {
      const bytes = pattern(300_000)
      const localFile = yield* tempFile(bytes)
      const get = yield* overNode(contentOf(bytes, { localFile }))
      const context = yield* Effect.context()
      const range = FastCheck.tuple(FastCheck.nat(299_999), FastCheck.nat(299_999)).map(([a, b]) => [
        Math.min(a, b),
        Math.max(a, b)
      ])
      yield* Effect.promise(() =>
        FastCheck.assert(
          FastCheck.asyncProperty(range, async ([start = 0, end = 0]) => {
            const answer = await Effect.runPromiseWith(context)(get("GET", { range: `bytes=${start}-${end}` }))
            assert.strictEqual(answer.headers["content-range"], `bytes ${start}-${end}/300000`)
            assert.isTrue(answer.body.equals(bytes.subarray(start, end + 1)))
          }),
          { numRuns: 60 }
        )
      )
      yield* Effect.promise(() => until(() => openCount(localFile) === 0))
    })
  )

  it.live.each([10, 100_000])("local file of %d bytes missing → ContentGone, nothing is sent", (size) =>
    Effect.gen(function* () {
      const get = yield* overNode(contentOf(pattern(size), { localFile: "/no/such/file" }))
      assert.strictEqual((yield* get("GET")).body.toString(), "ContentGone")
    })
  )

  it.live.each(["bytes=0-", "bytes=0-1,5-6"])("streamed blob missing, %s → ContentGone, nothing is sent", (range) =>
    Effect.gen(function* () {
      const read = () => Stream.fail(new BlobError({ reason: "NotFound", operation: "read" }))
      for (const over of [overNode, overWeb]) {
        const get = yield* over(contentOf(small, { read }))
        assert.strictEqual((yield* get("GET", { range })).body.toString(), "ContentGone")
      }
    })
  )

  it.live.each([10, 100_000])(
    "local file of %d bytes truncated → ContentDamaged and a report, nothing is sent",
    (size) =>
      Effect.gen(function* () {
        const localFile = yield* tempFile(pattern(size))
        Fs.truncateSync(localFile, size - 1)
        let reports = 0
        const reportDamage = Effect.sync(() => void reports++)
        const get = yield* overNode(contentOf(pattern(size), { localFile, reportDamage }))
        assert.strictEqual((yield* get("GET")).body.toString(), "ContentDamaged")
        assert.strictEqual(reports, 1)
        yield* Effect.promise(() => until(() => openCount(localFile) === 0))
      })
  )

  it.live("store fails while streaming → the response is broken", () =>
    Effect.gen(function* () {
      const read = () =>
        Stream.concat(
          Stream.succeed(Buffer.alloc(4)),
          Stream.fail(new BlobError({ reason: "Unavailable", operation: "read" }))
        )
      const { port } = yield* listen(app(contentOf(small, { read })))
      const client = yield* connect(port)
      client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      yield* Effect.promise(() => until(client.isClosed))
      assert.notMatch(client.text(), /\r\n\r\n[^]{10}/)
    })
  )

  it.live("header value with CRLF → 500, the file is closed", () =>
    Effect.gen(function* () {
      const bytes = pattern(100_000)
      const localFile = yield* tempFile(bytes)
      const get = yield* overNode(contentOf(bytes, { localFile, headers: [{ name: "x-bad", value: "a\r\nb: c" }] }))
      const answer = yield* get("GET")
      assert.strictEqual(answer.status, 500)
      assert.isUndefined(answer.headers["b"])
      yield* Effect.promise(() => until(() => openCount(localFile) === 0))
    })
  )
})

const digestOf = (bytes: Uint8Array): string => etagOf(createHash("sha256").update(bytes).digest("hex"))

describe("SendContent.send: small local file that is read repeatedly", () => {
  it.live("GET, and ranges of it → from memory, also after the file was removed", () =>
    Effect.gen(function* () {
      const localFile = yield* tempFile(small)
      const get = yield* overNode(contentOf(small, { localFile, etag: digestOf(small) }))
      assert.strictEqual((yield* get("GET")).body.toString(), "0123456789")
      assert.strictEqual((yield* get("GET")).body.toString(), "0123456789")
      Fs.unlinkSync(localFile)
      assert.strictEqual((yield* get("GET")).body.toString(), "0123456789")
      assert.strictEqual((yield* get("GET", { range: "bytes=3-5" })).body.toString(), "345")
      assert.strictEqual((yield* get("GET", { range: "bytes=-1" })).body.toString(), "9")
    })
  )

  it.live("bytes damaged and then repaired → the repaired bytes", () =>
    Effect.gen(function* () {
      const localFile = yield* tempFile(Buffer.from("damaged---"))
      const get = yield* overNode(contentOf(small, { localFile, etag: digestOf(small) }))
      for (let i = 0; i < 4; i++) assert.strictEqual((yield* get("GET")).body.toString(), "ContentDamaged")
      Fs.writeFileSync(localFile, small)
      for (let i = 0; i < 4; i++) assert.strictEqual((yield* get("GET")).body.toString(), "0123456789")
    })
  )

  it.live("file removed after one read → ContentGone, nothing sent", () =>
    Effect.gen(function* () {
      const localFile = yield* tempFile(small)
      const get = yield* overNode(contentOf(small, { localFile }))
      assert.strictEqual((yield* get("GET")).body.toString(), "0123456789")
      Fs.unlinkSync(localFile)
      const { body, status } = yield* get("GET")
      assert.deepStrictEqual([status, body.toString()], [500, "ContentGone"])
    })
  )
})
