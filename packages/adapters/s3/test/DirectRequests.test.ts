import { assert, describe, it } from "@effect/vitest"
import type { MirrorObject } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { BlobStore, ByteRange } from "@holdfast/core/storage/BlobStore"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { IncomingMessage, ServerResponse } from "node:http"
import * as S3BlobStore from "../src/S3BlobStore.ts"
import * as Keys from "./support/Keys.ts"
import { localNames } from "./support/LocalNames.ts"
import * as Service from "./support/Service.ts"

const bytes = Generate.bytes(1, 100)

const object: MirrorObject = {
  name: "a/ü 100%/b+c!'()*~&=?#;:@$,.txt",
  size: 100,
  sha256: Generate.sha256(bytes),
  description: {
    contentType: "text/plain; charset=utf-8",
    cacheControl: "no-cache",
    contentDisposition: "attachment",
    contentEncoding: "br",
    contentLanguage: "en",
    metadata: { "Holdfast-File": "fil_1", "x-empty": "", long: "v  v" }
  }
}

const etag = `"${"0".repeat(32)}"`

const accept = (response: ServerResponse): void => void response.writeHead(200, { etag }).end()

/** What every request has, and what only the SDK sends; nothing that two requests of one kind have different. */
const own = new Set(["authorization", "x-amz-date", "user-agent", "x-amz-user-agent", "connection"])
const byTheSdk = new Set(["amz-sdk-invocation-id", "amz-sdk-request"])

const shown = ({ headers }: { readonly headers: IncomingMessage["headers"] }) =>
  Object.entries(headers).filter(([name]) => !own.has(name) && !byTheSdk.has(name))

const isBySdk = ({ headers }: Service.Received): boolean => headers["amz-sdk-request"] !== undefined

/** The headers that are signed, other than those that only the SDK sends. */
const signed = ({ headers }: Service.Received) =>
  /SignedHeaders=([^,]+)/
    .exec(headers.authorization ?? "")?.[1]
    ?.split(";")
    .filter((name) => !own.has(name) && !byTheSdk.has(name))

describe("small objects", () => {
  it.live("go as the SDK sends them, once it has sent one", () =>
    Effect.gen(function* () {
      const { received, target } = yield* Service.openMirror((_request, response) => accept(response))
      const receipts = [
        yield* target.write(object, Stream.make(bytes)),
        yield* target.write(object, Stream.make(bytes))
      ]
      assert.strictEqual(receipts[1]?.tag, "0".repeat(32))
      assert.strictEqual(receipts[1]?.tag, receipts[0]?.tag)
      assert.isAtLeast(receipts[1]?.lastModified ?? 0, receipts[0]?.lastModified ?? 1)
      const [first, second] = received
      assert.isTrue(first !== undefined && isBySdk(first))
      assert.isTrue(second !== undefined && !isBySdk(second))
      if (first === undefined || second === undefined) return
      assert.strictEqual(second.url.href, first.url.href)
      assert.deepStrictEqual(shown(second).toSorted(), shown(first).toSorted())
      assert.deepStrictEqual(signed(second), signed(first))
      assert.isTrue(second.body.equals(first.body))
    })
  )

  it.live("of a bucket that stands in the host's name go there", () =>
    Effect.gen(function* () {
      yield* localNames
      const { endpoint, received } = yield* Service.serve((_request, response) => accept(response))
      const store = yield* S3BlobStore.make({
        bucket: "bucket",
        region: "us-east-1",
        endpoint: endpoint.replace("127.0.0.1", "localhost"),
        credentials: { accessKeyId: "id", secretAccessKey: Redacted.make("secret") }
      })
      const put = (index: number) => store.put(Keys.key(index), Stream.make(bytes))
      yield* put(0)
      yield* put(1)
      assert.deepStrictEqual(received.map(isBySdk), [true, false])
      assert.strictEqual(received[1]?.headers.host, received[0]?.headers.host)
      assert.match(received[1]?.headers.host ?? "", /^bucket\.localhost:/)
      assert.strictEqual(received[1]?.url.pathname, `/${Keys.key(1)}`)
    })
  )

  it.live("are the SDK's again when the service is busy, which repeats them", () =>
    Effect.gen(function* () {
      let requests = 0
      const { received, target } = yield* Service.openMirror(
        (request, response) =>
          requests++ === 1 || requests === 3 ? Service.refuse(503, "SlowDown")(request, response) : accept(response),
        { maxAttempts: 3 }
      )
      yield* target.write(object, Stream.make(bytes))
      yield* target.write(object, Stream.make(bytes))
      assert.deepStrictEqual(received.map(isBySdk), [true, false, true, true])
      assert.isTrue(received.every(({ body }) => body.equals(bytes)))
    })
  )

  it.live("fail in the service's words", () =>
    Effect.gen(function* () {
      let isDenied = false
      const { target } = yield* Service.openMirror((request, response) =>
        isDenied ? Service.refuse(403, "AccessDenied", "No way")(request, response) : accept(response)
      )
      yield* target.write(object, Stream.make(bytes))
      isDenied = true
      const error = yield* Effect.flip(target.write(object, Stream.make(bytes)))
      assert.deepStrictEqual([error.reason, error.detail], ["Denied", "No way (AccessDenied, status 403)"])
    })
  )

  it.live("are sent again when the connection is cut, or the answer does not end", () =>
    Effect.gen(function* () {
      let requests = 0
      const { received, target } = yield* Service.openMirror((_request, response) => {
        requests++
        if (requests === 2) response.destroy()
        else if (requests === 4) {
          response.writeHead(200, { etag, "content-length": 10 }).write("cut", () => response.destroy())
        } else accept(response)
      })
      yield* target.write(object, Stream.make(bytes))
      yield* target.write(object, Stream.make(bytes))
      yield* target.write(object, Stream.make(bytes))
      assert.deepStrictEqual(received.map(isBySdk), [true, false, true, false, true])
    })
  )

  it.live("end when they are interrupted", () =>
    Effect.gen(function* () {
      const reached = yield* Deferred.make<ServerResponse>()
      let requests = 0
      const { received, target } = yield* Service.openMirror((_request, response) =>
        requests++ === 0 ? accept(response) : Deferred.doneUnsafe(reached, Effect.succeed(response))
      )
      yield* target.write(object, Stream.make(bytes))
      const writing = yield* Effect.forkChild(target.write(object, Stream.make(bytes)))
      const response = yield* Deferred.await(reached)
      const closed = Effect.callback<void>((resume) => void response.on("close", () => resume(Effect.void)))
      const closing = yield* Effect.forkChild(closed, { startImmediately: true })
      yield* Fiber.interrupt(writing)
      yield* Fiber.join(closing)
      assert.deepStrictEqual(received.map(isBySdk), [true, false])
    })
  )

  it.live("are left to the SDK where it has to add checksums of its own", () =>
    Effect.gen(function* () {
      const { received, store } = yield* Service.open((_request, response) => accept(response), {
        requestChecksumCalculation: "WHEN_SUPPORTED"
      })
      for (let index = 0; index < 2; index++) yield* store.put(Keys.key(index), Stream.make(bytes))
      assert.deepStrictEqual(received.map(isBySdk), [true, true])
    })
  )

  it.live("that are not so small go by the SDK", () =>
    Effect.gen(function* () {
      const { received, store } = yield* Service.open((_request, response) => accept(response))
      for (let index = 0; index < 2; index++) yield* store.put(Keys.key(index), Generate.stream(1, 2_000_000))
      assert.deepStrictEqual(received.map(isBySdk), [true, true])
    })
  )
})

describe("contents", () => {
  const give = ({ headers }: Service.Received, response: ServerResponse): void => {
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "") ?? []
    const part = first === undefined ? bytes : bytes.subarray(Number(first), Number(last) + 1)
    response.writeHead(first === undefined ? 200 : 206, { "content-length": part.byteLength }).end(part)
  }
  const read = (store: BlobStore["Service"], range?: ByteRange) =>
    Effect.map(Stream.runCollect(store.read(Keys.key(0), { range })), (chunks) => Buffer.concat(chunks))

  it.live("are asked for as the SDK asks, whole and in ranges", () =>
    Effect.gen(function* () {
      const { received, store } = yield* Service.open(give)
      for (const range of [undefined, { offset: 10, length: 20 }]) {
        const expected = Buffer.from(bytes).subarray(range?.offset ?? 0, range === undefined ? 100 : 30)
        assert.isTrue((yield* read(store, range)).equals(expected))
      }
      const another = yield* Service.open(give)
      yield* read(another.store, { offset: 10, length: 20 })
      assert.deepStrictEqual([...received, ...another.received].map(isBySdk), [true, false, true])
      const [, direct] = received
      const [bySdk] = another.received
      if (direct === undefined || bySdk === undefined) return assert.fail("a request is missing")
      const shownOf = (request: Service.Received) => shown(request).filter(([name]) => name !== "host")
      assert.strictEqual(direct.url.href, bySdk.url.href)
      assert.deepStrictEqual(shownOf(direct).toSorted(), shownOf(bySdk).toSorted())
      assert.deepStrictEqual(signed(direct), signed(bySdk))
    })
  )

  it.live("that are gone are told of by the SDK", () =>
    Effect.gen(function* () {
      let isGone = false
      const { store } = yield* Service.open((request, response) =>
        isGone ? Service.refuse(404, "NoSuchKey")(request, response) : give(request, response)
      )
      yield* read(store)
      isGone = true
      assert.strictEqual((yield* Effect.flip(read(store))).reason, "NotFound")
    })
  )
})
