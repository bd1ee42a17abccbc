import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"
import * as FastCheck from "fast-check"
import * as ContentGuard from "@holdfast/core/files/ContentGuard"
import * as FormReader from "../../src/transfer/upload/FormReader.ts"
import * as MultipartUpload from "../../src/transfer/upload/MultipartUpload.ts"
import * as Forms from "./support/Forms.ts"
import { connect, listen, until } from "./support/NodeApp.ts"
import { pattern } from "./support/TempFiles.ts"

const { cut, field, file, form, request } = Forms
const MiB = 1024 * 1024
const options = { limit: MiB, idleTimeout: "10 seconds" } as const
const json = '{"name":"b.txt","path":"/x/"}'

interface Read {
  readonly content: Buffer
  readonly body: unknown
  readonly isBodyKnown: boolean
  readonly filename: string | undefined
  readonly contentType: string | undefined
}

/** Reads an upload as the service does: the file to its end, through the store's guard, then the body. */
const read = (incoming: HttpServerRequest.HttpServerRequest, limit: number = options.limit) =>
  Effect.gen(function* () {
    const { body, file, isBodyKnown } = yield* MultipartUpload.parse(incoming, { ...options, limit })
    const { content } = yield* ContentGuard.make(file.stream, { limit })
    const chunks = yield* Stream.runCollect(content)
    const { contentType, filename } = file
    const whole: Read = { content: Buffer.concat(chunks), body: yield* body, isBodyKnown, filename, contentType }
    return whole
  }).pipe(Effect.scoped)

/** The tag of the error that reading fails with, and the pointer of an invalid request. */
const failure = (incoming: HttpServerRequest.HttpServerRequest, limit?: number) =>
  Effect.map(Effect.flip(read(incoming, limit)), (error) =>
    error._tag === "InvalidRequest" ? `InvalidRequest at '${error.errors[0]?.pointer}'` : error._tag
  )

describe("MultipartUpload.parse", () => {
  it.live("body before file → the body is known before the file is read", () =>
    Effect.gen(function* () {
      const upload = yield* read(request([form(field("body", json), file("hello"))]))
      assert.deepStrictEqual(upload, {
        content: Buffer.from("hello"),
        body: { name: "b.txt", path: "/x/" },
        isBodyKnown: true,
        filename: "a.txt",
        contentType: "text/plain"
      })
    })
  )

  it.live("file before body → the body is known after the file", () =>
    Effect.gen(function* () {
      const content = pattern(4 * MiB)
      const chunks = cut(form(file(content), field("body", json)), [0.2, 0.4, 0.6, 0.8])
      const upload = yield* read(request(chunks), 4 * MiB)
      assert.isFalse(upload.isBodyKnown)
      assert.isTrue(upload.content.equals(content))
      assert.deepStrictEqual(upload.body, { name: "b.txt", path: "/x/" })
    })
  )

  it.live("no body, no file name, no type → undefined", () =>
    Effect.gen(function* () {
      const part = { head: 'Content-Disposition: form-data; name="file"', content: "hello" }
      const upload = yield* read(request([form(part)]))
      assert.isUndefined(upload.body)
      assert.isUndefined(upload.filename)
      assert.isUndefined(upload.contentType)
      assert.strictEqual(upload.content.toString(), "hello")
    })
  )

  it.live("other parts, a preamble and an epilogue → ignored", () =>
    Effect.gen(function* () {
      const bytes = Buffer.concat([
        Buffer.from("preamble\r\n"),
        form(field("a", "1"), file("hello"), field("b", "2"), field("body", json), field("c", "x".repeat(60_000))),
        Buffer.from('epilogue\r\nContent-Disposition: form-data; name="file"\r\n\r\nx')
      ])
      for (const chunks of [[bytes], cut(bytes, [0.5]), cut(bytes, [0.001, 0.002, 0.9999])]) {
        const upload = yield* read(request(chunks))
        assert.strictEqual(upload.content.toString(), "hello")
        assert.deepStrictEqual(upload.body, { name: "b.txt", path: "/x/" })
      }
    })
  )

  it.live.each<[written: string, filename: string | undefined]>([
    ["a.txt", "a.txt"],
    ["", undefined],
    ["C:\\Users\\me\\a.txt", "a.txt"],
    ["/etc/passwd", "passwd"],
    ["../../a.txt", "a.txt"],
    ["dir/", undefined],
    ["a%22b.txt", 'a"b.txt'],
    ['a\\"b.txt', 'a"b.txt'],
    ["日本語.txt", "日本語.txt"],
    ["100%.txt", "100%.txt"],
    ["a;b=c.txt", "a;b=c.txt"]
  ])("file name %j → %j", ([written, filename]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* read(request([form(file("x", written))]))).filename, filename)
    })
  )

  it.live("filename* → preferred to filename", () =>
    Effect.gen(function* () {
      const head = `Content-Disposition: form-data; name="file"; filename="a"; filename*=UTF-8''caf%C3%A9%20%2522.txt`
      assert.strictEqual((yield* read(request([form({ head, content: "" })]))).filename, "café %22.txt")
    })
  )

  it.live("any content in any chunks → the same bytes", () =>
    Effect.gen(function* () {
      const tricky = FastCheck.constantFrom(
        "\r",
        "\n",
        "\r\n",
        "-",
        "--",
        "\r\n--",
        "\r\n------",
        "\r\n------boun",
        "x",
        "\r\r\n---"
      )
      const content = FastCheck.oneof(
        FastCheck.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
        FastCheck.array(tricky, { maxLength: 12 }).map((parts) => Buffer.from(parts.join("")))
      ).filter((bytes) => !bytes.includes(`\r\n--${Forms.boundary}`))
      const cuts = FastCheck.array(FastCheck.double({ min: 0, max: 0.999, noNaN: true }), { maxLength: 40 })
      const context = yield* Effect.context()
      yield* Effect.promise(() =>
        FastCheck.assert(
          FastCheck.asyncProperty(content, cuts, FastCheck.boolean(), async (content, cuts, isBodyFirst) => {
            const [first, second] = isBodyFirst
              ? [field("body", json), file(content)]
              : [file(content), field("body", json)]
            const upload = await Effect.runPromiseWith(context)(read(request(cut(form(first, second), cuts))))
            assert.isTrue(upload.content.equals(content))
            assert.deepStrictEqual(upload.body, { name: "b.txt", path: "/x/" })
          }),
          { numRuns: 300 }
        )
      )
    })
  )

  it.live("form truncated at any byte → fails", () =>
    Effect.gen(function* () {
      const whole = form(file("hello"), field("body", json))
      const complete = whole.length - "\r\n".length
      for (let length = 0; length < complete; length++) {
        const exit = yield* Effect.exit(read(request([whole.subarray(0, length)])))
        assert.isTrue(Exit.isFailure(exit), `${length} bytes`)
      }
      assert.isTrue(Exit.isSuccess(yield* Effect.exit(read(request([whole.subarray(0, complete)])))))
    })
  )

  it.live.each<[name: string, bytes: Buffer, expected: string]>([
    ["two files", form(file("a"), field("body", json), file("b")), "InvalidRequest at '/file'"],
    ["two bodies", form(field("body", json), field("body", json), file("a")), "InvalidRequest at '/body'"],
    [
      "two bodies after the file",
      form(file("a"), field("body", json), field("body", json)),
      "InvalidRequest at '/body'"
    ],
    ["no file", form(field("body", json)), "InvalidRequest at '/file'"],
    ["nothing", form(), "InvalidRequest at '/file'"],
    ["no bytes", Buffer.alloc(0), "InvalidRequest at ''"],
    ["a body that is not a form", Buffer.from("hello"), "InvalidRequest at ''"],
    ["a body that is not JSON", form(field("body", "{"), file("a")), "InvalidRequest at '/body'"],
    ["a body that is not JSON, after the file", form(file("a"), field("body", "")), "InvalidRequest at '/body'"],
    [
      "a body that is not UTF-8",
      form({ ...field("body", ""), content: Buffer.from([0x22, 0xff, 0x22]) }, file("a")),
      "InvalidRequest at '/body'"
    ],
    ["a body above its limit", form(field("body", `"${"x".repeat(65_536)}"`), file("a")), "InvalidRequest at '/body'"],
    ["another part above its limit", form(field("o/~", "x".repeat(65_537)), file("a")), "InvalidRequest at '/o~1~0'"],
    [
      "more than 32 parts",
      form(file("a"), ...Array.from({ length: 32 }, (_, i) => field(`f${i}`, ""))),
      "InvalidRequest at ''"
    ],
    [
      "more than 256 KiB besides the file",
      form(file("a"), ...Array.from({ length: 5 }, (_, i) => field(`f${i}`, "x".repeat(60_000)))),
      "InvalidRequest at ''"
    ],
    ["a long head", form({ head: `X-A: ${"x".repeat(17_000)}`, content: "" }), "InvalidRequest at ''"],
    ["a malformed head", form({ head: "no header", content: "" }), "InvalidRequest at ''"],
    ["no Content-Disposition", form({ head: "Content-Type: text/plain", content: "" }), "InvalidRequest at ''"],
    ["no name", form({ head: "Content-Disposition: form-data", content: "" }), "InvalidRequest at ''"],
    [
      "another Content-Disposition",
      form({ head: 'Content-Disposition: attachment; name="file"', content: "" }),
      "InvalidRequest at ''"
    ],
    [
      "a Content-Transfer-Encoding",
      form({
        head: 'Content-Disposition: form-data; name="file"\r\nContent-Transfer-Encoding: base64',
        content: "aGk="
      }),
      "InvalidRequest at '/file'"
    ]
  ])("form with %s → refused", ([, bytes, expected]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* failure(request([bytes])), expected)
      assert.strictEqual(yield* failure(request(cut(bytes, [0.2, 0.4, 0.6, 0.8]))), expected)
    })
  )

  it.live("file under another name → refused before it is read, with the names of the expected parts", () =>
    Effect.gen(function* () {
      const head = 'Content-Disposition: form-data; name="upload"; filename="a.txt"'
      const [first = Buffer.alloc(0)] = cut(form({ head, content: "a".repeat(100_000) }), [0.01])
      const endless = Array.from({ length: 100 }, () => Buffer.alloc(65_536))
      const error = yield* Effect.flip(read(request([first, ...endless])))
      assert.deepStrictEqual(error._tag === "InvalidRequest" && error.errors, [
        {
          pointer: "/upload",
          detail:
            "must not have a file: the form has the content in the part file, and may have its description, as JSON, in the part body"
        }
      ])
    })
  )

  it.live("field under another name instead of the file → refused with the names of the expected parts", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(read(request([form(field("upload", "x"))])))
      assert.match(error.message + JSON.stringify(error), /is required: the form has the content in the part file/)
    })
  )

  it.live("file input that the visitor left empty → ignored", () =>
    Effect.gen(function* () {
      const empty = { head: 'Content-Disposition: form-data; name="photo"; filename=""', content: "" }
      assert.strictEqual((yield* read(request([form(empty, file("hello"))]))).content.toString(), "hello")
    })
  )

  it.live("invalid body before the file → refused before the file is read", () =>
    Effect.gen(function* () {
      const [first = Buffer.alloc(0)] = cut(form(field("body", "{"), file("a".repeat(100_000))), [0.01])
      const endless = Array.from({ length: 100 }, () => Buffer.alloc(65_536))
      assert.strictEqual(yield* failure(request([first, ...endless])), "InvalidRequest at '/body'")
    })
  )

  it.live.each<[contentType: string | undefined, expected: string]>([
    [undefined, "UnsupportedMediaType"],
    ["application/json", "UnsupportedMediaType"],
    ["multipart/mixed; boundary=x", "UnsupportedMediaType"],
    ["multipart/form-data", "InvalidRequest at ''"],
    ["multipart/form-data; charset=utf-8", "InvalidRequest at ''"]
  ])("Content-Type %s → %s", ([contentType, expected]) =>
    Effect.gen(function* () {
      const headers: Record<string, string> = contentType === undefined ? {} : { "content-type": contentType }
      assert.strictEqual(yield* failure(request([form(file("a"))], headers)), expected)
    })
  )

  it.live.each([
    `multipart/form-data; boundary="${Forms.boundary}"`,
    `Multipart/Form-Data; charset=utf-8; Boundary=${Forms.boundary}`
  ])("Content-Type %s → its boundary is used", (contentType) =>
    Effect.gen(function* () {
      const upload = yield* read(request([form(file("hello"))], { "content-type": contentType }))
      assert.strictEqual(upload.content.toString(), "hello")
    })
  )

  it.live.each<[before: string, after: string]>([
    ["multipart/form-data; boundary=", ""],
    ['multipart/form-data; BOUNDARY="', '"; charset=utf-8']
  ])("boundary of 70 characters in %s…%s → used; longer → refused before the body is searched", ([before, after]) =>
    Effect.gen(function* () {
      const formOf = (boundary: string, content: string) =>
        form(file(content)).toString("latin1").replaceAll(`--${Forms.boundary}`, `--${boundary}`)
      const send = (boundary: string, content: string) =>
        request([Buffer.from(formOf(boundary, content))], { "content-type": before + boundary + after })
      const longest = "a".repeat(70)
      assert.strictEqual((yield* read(send(longest, "hello"))).content.toString(), "hello")
      for (const length of [71, 15_000]) {
        const error = yield* Effect.flip(Effect.asVoid(read(send("a".repeat(length), "a".repeat(MiB / 2)))))
        assert.deepStrictEqual(error._tag === "InvalidRequest" && error.errors, [
          { pointer: "", detail: "the boundary in the Content-Type must have at most 70 characters" }
        ])
      }
    })
  )

  it.live("chunks of one byte → parsed together", () =>
    Effect.gen(function* () {
      const pushed: Array<Uint8Array> = []
      const parser = {
        push: (chunk: Uint8Array) => {
          pushed.push(chunk)
          return undefined
        },
        end: () => undefined,
        takeFileBytes: () => [],
        file: () => undefined
      }
      const bytes = pattern(16_384)
      const [first = bytes, ...others] = Array.from(bytes, (byte) => Uint8Array.of(byte))
      yield* FormReader.next(parser, Effect.succeed([first, ...others]), Effect.fail)
      assert.strictEqual(pushed.length, 1)
      assert.isTrue(bytes.equals(pushed[0] ?? Buffer.of()))
      const large: [Buffer, Buffer] = [pattern(65_536), pattern(65_536)]
      yield* FormReader.next(parser, Effect.succeed(large), Effect.fail)
      assert.deepStrictEqual(pushed.slice(1), large)
    })
  )

  it.live("file of exactly the limit → accepted; one byte more → ContentTooLarge", () =>
    Effect.gen(function* () {
      const limit = 100_000
      const exact = pattern(limit)
      assert.isTrue((yield* read(request([form(file(exact))]), limit)).content.equals(exact))
      assert.strictEqual(yield* failure(request([form(file(pattern(limit + 1)))]), limit), "ContentTooLarge")
    })
  )

  it.live("declared length above the limit → the error reports the file's limit", () =>
    Effect.gen(function* () {
      const headers = { "content-type": Forms.contentType, "content-length": `${10 * MiB}` }
      const error = yield* Effect.flip(read(request([], headers), 1000))
      assert.strictEqual(error._tag === "ContentTooLarge" ? error.limit : error._tag, 1000)
    })
  )

  it.live("file's stream closed before its end → the body is interrupted", () =>
    Effect.gen(function* () {
      const chunks = cut(form(file(pattern(4 * MiB)), field("body", json)), [0.2, 0.4, 0.6, 0.8])
      const upload = yield* MultipartUpload.parse(request(chunks), { ...options, limit: 4 * MiB })
      yield* Stream.runDrain(Stream.take(upload.file.stream, 1))
      const exit = yield* Effect.exit(upload.body)
      assert.isTrue(Exit.hasInterrupts(exit))
    }).pipe(Effect.scoped)
  )

  it.live("file's stream fails → the body fails with the same error", () =>
    Effect.gen(function* () {
      const chunks = cut(form(file(pattern(4 * MiB)), file("b")), [0.2, 0.4, 0.6, 0.8])
      const upload = yield* MultipartUpload.parse(request(chunks), { ...options, limit: 4 * MiB })
      const error = yield* Effect.flip(Stream.runDrain(upload.file.stream))
      assert.strictEqual(error._tag, "InvalidRequest")
      assert.strictEqual(yield* Effect.flip(upload.body), error)
    }).pipe(Effect.scoped)
  )
})

describe("MultipartUpload.parse over Node", () => {
  const post = (length: number): string =>
    `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: ${Forms.contentType}\r\nContent-Length: ${length}\r\n\r\n`

  const app = (limit: number) =>
    listen((incoming) =>
      Effect.map(read(incoming, limit), ({ body, content }) =>
        HttpServerResponse.text(`${content.length} ${JSON.stringify(body)}`)
      )
    )

  it.live("two 8 MiB files on one connection → both read", () =>
    Effect.gen(function* () {
      const { port } = yield* app(64 * MiB)
      const client = yield* connect(port)
      const bytes = form(file(pattern(8 * MiB)), field("body", json))
      for (let round = 0; round < 2; round++) {
        client.send(post(bytes.length), bytes)
        const { body } = yield* Effect.promise(() => client.response())
        assert.strictEqual(body.toString(), `${8 * MiB} ${json}`)
      }
    })
  )

  it.live("invalid form, client keeps sending → it receives the fault", () =>
    Effect.gen(function* () {
      const { port } = yield* app(64 * MiB)
      const client = yield* connect(port)
      client.send(post(64 * MiB), form(field("body", "{"), file("")))
      for (let sent = 0; sent < 32; sent++) client.send(Buffer.alloc(MiB))
      const { body, status } = yield* Effect.promise(() => client.response())
      assert.strictEqual(status, 400)
      assert.include(body.toString(), "must be JSON")
      yield* Effect.promise(() => until(client.isClosed))
    })
  )

  it.live("client disconnects → the reading fails", () =>
    Effect.gen(function* () {
      const ends: Array<string> = []
      const { port } = yield* listen((incoming) =>
        read(incoming).pipe(
          Effect.onExit((exit) => Effect.sync(() => ends.push(exit._tag))),
          Effect.as(HttpServerResponse.empty())
        )
      )
      const bytes = form(file("hello"), field("body", json))
      const client = yield* connect(port)
      client.send(post(bytes.length), bytes.subarray(0, -5))
      yield* Effect.promise(() => until(() => client.socket.writableLength === 0))
      client.socket.destroy()
      yield* Effect.promise(() => until(() => ends.length === 1))
      assert.deepStrictEqual(ends, ["Failure"])
    })
  )
})
