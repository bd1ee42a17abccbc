import { assert, describe, it } from "@effect/vitest"
import type { MirrorObject } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { BlobStore, ByteRange } from "@holdfast/core/storage/BlobStore"
import * as BlobKeys from "@holdfast/testing/data/BlobKeys"
import * as Generate from "@holdfast/testing/data/Generate"
import * as ScriptedServer from "@holdfast/testing/servers/ScriptedServer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { IncomingMessage, ServerResponse } from "node:http"
import * as S3BlobStore from "../src/S3BlobStore.ts"
import { resolveLocalNames } from "./support/LocalNames.ts"
import * as ScriptedS3 from "./support/ScriptedS3.ts"

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

/** Headers that differ between two requests of one kind, and headers that only the SDK sends. */
const varying = new Set(["authorization", "x-amz-date", "user-agent", "x-amz-user-agent", "connection"])
const sdkOnly = new Set(["amz-sdk-invocation-id", "amz-sdk-request"])

/** The other headers. */
const comparable = ({ headers }: { readonly headers: IncomingMessage["headers"] }) =>
  Object.entries(headers).filter(([name]) => !varying.has(name) && !sdkOnly.has(name))

const isBySdk = ({ headers }: ScriptedServer.ReceivedRequest): boolean => headers["amz-sdk-request"] !== undefined

/** The names of the signed headers, without those that only the SDK sends. */
const signedNames = ({ headers }: ScriptedServer.ReceivedRequest) =>
  /SignedHeaders=([^,]+)/
    .exec(headers.authorization ?? "")?.[1]
    ?.split(";")
    .filter((name) => !varying.has(name) && !sdkOnly.has(name))

describe("DirectRequests: put", () => {
  it.live("second small object → the same request as the SDK's, without the SDK", () =>
    Effect.gen(function* () {
      const { requests, target } = yield* ScriptedS3.openTarget((_request, response) => accept(response))
      const receipts = [
        yield* target.write(object, Stream.make(bytes)),
        yield* target.write(object, Stream.make(bytes))
      ]
      assert.strictEqual(receipts[1]?.tag, "0".repeat(32))
      assert.strictEqual(receipts[1]?.tag, receipts[0]?.tag)
      assert.isAtLeast(receipts[1]?.lastModified ?? 0, receipts[0]?.lastModified ?? 1)
      const [first, second] = requests
      assert.isTrue(first !== undefined && isBySdk(first))
      assert.isTrue(second !== undefined && !isBySdk(second))
      if (first === undefined || second === undefined) return
      assert.strictEqual(second.url.href, first.url.href)
      assert.deepStrictEqual(comparable(second).toSorted(), comparable(first).toSorted())
      assert.deepStrictEqual(signedNames(second), signedNames(first))
      assert.isTrue(second.body.equals(first.body))
    })
  )

  it.live("bucket in the host name → sent to that host", () =>
    Effect.gen(function* () {
      yield* resolveLocalNames
      const { endpoint, requests } = yield* ScriptedServer.open((_request, response) => accept(response))
      const store = yield* S3BlobStore.make({
        bucket: "bucket",
        region: "us-east-1",
        endpoint: endpoint.replace("127.0.0.1", "localhost"),
        credentials: { accessKeyId: "id", secretAccessKey: Redacted.make("secret") }
      })
      const put = (index: number) => store.put(BlobKeys.key(index), Stream.make(bytes))
      yield* put(0)
      yield* put(1)
      assert.deepStrictEqual(requests.map(isBySdk), [true, false])
      assert.strictEqual(requests[1]?.headers.host, requests[0]?.headers.host)
      assert.match(requests[1]?.headers.host ?? "", /^bucket\.localhost:/)
      assert.strictEqual(requests[1]?.url.pathname, `/${BlobKeys.key(1)}`)
    })
  )

  it.live("service busy → the SDK repeats the request", () =>
    Effect.gen(function* () {
      let count = 0
      const { requests, target } = yield* ScriptedS3.openTarget(
        (request, response) =>
          count++ === 1 || count === 3 ? ScriptedS3.sendError(503, "SlowDown")(request, response) : accept(response),
        { maxAttempts: 3 }
      )
      yield* target.write(object, Stream.make(bytes))
      yield* target.write(object, Stream.make(bytes))
      assert.deepStrictEqual(requests.map(isBySdk), [true, false, true, true])
      assert.isTrue(requests.every(({ body }) => body.equals(bytes)))
    })
  )

  it.live("service denies → the SDK's error, with the service's message", () =>
    Effect.gen(function* () {
      let isDenied = false
      const { target } = yield* ScriptedS3.openTarget((request, response) =>
        isDenied ? ScriptedS3.sendError(403, "AccessDenied", "No way")(request, response) : accept(response)
      )
      yield* target.write(object, Stream.make(bytes))
      isDenied = true
      const error = yield* Effect.flip(target.write(object, Stream.make(bytes)))
      assert.deepStrictEqual([error.reason, error.detail], ["Denied", "No way (AccessDenied, status 403)"])
    })
  )

  it.live("connection cut, or response body cut → sent again by the SDK", () =>
    Effect.gen(function* () {
      let count = 0
      const { requests, target } = yield* ScriptedS3.openTarget((_request, response) => {
        count++
        if (count === 2) response.destroy()
        else if (count === 4) {
          response.writeHead(200, { etag, "content-length": 10 }).write("cut", () => response.destroy())
        } else accept(response)
      })
      yield* target.write(object, Stream.make(bytes))
      yield* target.write(object, Stream.make(bytes))
      yield* target.write(object, Stream.make(bytes))
      assert.deepStrictEqual(requests.map(isBySdk), [true, false, true, false, true])
    })
  )

  it.live("interrupted → the connection is closed", () =>
    Effect.gen(function* () {
      const reached = yield* Deferred.make<ServerResponse>()
      let count = 0
      const { requests, target } = yield* ScriptedS3.openTarget((_request, response) =>
        count++ === 0 ? accept(response) : Deferred.doneUnsafe(reached, Effect.succeed(response))
      )
      yield* target.write(object, Stream.make(bytes))
      const writing = yield* Effect.forkChild(target.write(object, Stream.make(bytes)))
      const response = yield* Deferred.await(reached)
      const closed = Effect.callback<void>((resume) => void response.on("close", () => resume(Effect.void)))
      const closing = yield* Effect.forkChild(closed, { startImmediately: true })
      yield* Fiber.interrupt(writing)
      yield* Fiber.join(closing)
      assert.deepStrictEqual(requests.map(isBySdk), [true, false])
    })
  )

  it.live("WHEN_SUPPORTED: SDK adds checksums → every request is the SDK's", () =>
    Effect.gen(function* () {
      const { requests, store } = yield* ScriptedS3.openStore((_request, response) => accept(response), {
        requestChecksumCalculation: "WHEN_SUPPORTED"
      })
      for (let index = 0; index < 2; index++) yield* store.put(BlobKeys.key(index), Stream.make(bytes))
      assert.deepStrictEqual(requests.map(isBySdk), [true, true])
    })
  )

  it.live("object of more than 1 MiB → sent by the SDK", () =>
    Effect.gen(function* () {
      const { requests, store } = yield* ScriptedS3.openStore((_request, response) => accept(response))
      for (let index = 0; index < 2; index++) yield* store.put(BlobKeys.key(index), Generate.stream(1, 2_000_000))
      assert.deepStrictEqual(requests.map(isBySdk), [true, true])
    })
  )
})

describe("DirectRequests: get", () => {
  const sendContent = ({ headers }: ScriptedServer.ReceivedRequest, response: ServerResponse): void => {
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "") ?? []
    const part = first === undefined ? bytes : bytes.subarray(Number(first), Number(last) + 1)
    response.writeHead(first === undefined ? 200 : 206, { "content-length": part.byteLength }).end(part)
  }
  const read = (store: BlobStore["Service"], range?: ByteRange) =>
    Effect.map(Stream.runCollect(store.read(BlobKeys.key(0), { range })), (chunks) => Buffer.concat(chunks))

  it.live("whole and range → the same requests as the SDK's", () =>
    Effect.gen(function* () {
      const { requests, store } = yield* ScriptedS3.openStore(sendContent)
      for (const range of [undefined, { offset: 10, length: 20 }]) {
        const expected = Buffer.from(bytes).subarray(range?.offset ?? 0, range === undefined ? 100 : 30)
        assert.isTrue((yield* read(store, range)).equals(expected))
      }
      const another = yield* ScriptedS3.openStore(sendContent)
      yield* read(another.store, { offset: 10, length: 20 })
      assert.deepStrictEqual([...requests, ...another.requests].map(isBySdk), [true, false, true])
      const [, direct] = requests
      const [bySdk] = another.requests
      if (direct === undefined || bySdk === undefined) return assert.fail("a request is missing")
      const withoutHost = (request: ScriptedServer.ReceivedRequest) =>
        comparable(request).filter(([name]) => name !== "host")
      assert.strictEqual(direct.url.href, bySdk.url.href)
      assert.deepStrictEqual(withoutHost(direct).toSorted(), withoutHost(bySdk).toSorted())
      assert.deepStrictEqual(signedNames(direct), signedNames(bySdk))
    })
  )

  it.live("object missing → NotFound, from the SDK", () =>
    Effect.gen(function* () {
      let isGone = false
      const { store } = yield* ScriptedS3.openStore((request, response) =>
        isGone ? ScriptedS3.sendError(404, "NoSuchKey")(request, response) : sendContent(request, response)
      )
      yield* read(store)
      isGone = true
      assert.strictEqual((yield* Effect.flip(read(store))).reason, "NotFound")
    })
  )
})
