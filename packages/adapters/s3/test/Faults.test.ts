import { assert, describe, it } from "@effect/vitest"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import * as Keys from "./support/Keys.ts"
import * as Service from "./support/Service.ts"

const key = Keys.key(0)

const md5 = (body: Buffer): string => createHash("md5").update(body).digest("base64")

describe("S3BlobStore on a service that errs", () => {
  it.live.each([
    [404, "NoSuchKey", "NotFound"],
    [404, "NoSuchBucket", "Internal"],
    [403, "AccessDenied", "Internal"],
    [403, "QuotaExceeded", "StorageFull"],
    [507, "InsufficientStorage", "StorageFull"],
    [503, "SlowDown", "Unavailable"],
    [500, "InternalError", "Unavailable"]
  ] as const)("maps %i %s", ([status, code, reason]) =>
    Effect.gen(function* () {
      const { store } = yield* Service.open(Service.refuse(status, code))
      const failures = yield* Effect.all([
        Effect.flip(store.put(key, Generate.stream(1, 10))),
        Effect.flip(Stream.runDrain(store.read(key))),
        Effect.flip(Stream.runDrain(store.list("")))
      ])
      assert.deepStrictEqual(
        failures.map((error) => error.reason),
        [reason, reason, reason]
      )
    })
  )

  it.live("fails a read that is cut", () =>
    Effect.gen(function* () {
      const { store } = yield* Service.open((_request, response) => {
        response.writeHead(200, { "content-length": 1000 })
        response.write(Buffer.alloc(400), () => response.destroy())
      })
      let count = 0
      const reading = Stream.runForEach(store.read(key), (chunk) => Effect.sync(() => (count += chunk.byteLength)))
      const error = yield* Effect.flip(reading)
      assert.deepStrictEqual([error.reason, error.operation], ["Unavailable", "read"])
      assert.isBelow(count, 1000)
    })
  )

  it.live.each([999, 5000])("fails a range for which %i bytes come instead of 1000", (size) =>
    Effect.gen(function* () {
      const { received, store } = yield* Service.open((_request, response) => {
        response.writeHead(200, { "content-length": size }).end(Buffer.alloc(size))
      })
      let count = 0
      const reading = Stream.runForEach(store.read(key, { range: { offset: 7, length: 1000 } }), () =>
        Effect.sync(() => count++)
      )
      assert.strictEqual((yield* Effect.flip(reading)).reason, "Internal")
      assert.strictEqual(count, 0)
      assert.strictEqual(received[0]?.headers.range, "bytes=7-1006")
    })
  )

  it.live("gives up on a service that says nothing", () =>
    Effect.gen(function* () {
      const { store } = yield* Service.open(() => {}, { idleTimeout: "50 millis" })
      assert.strictEqual((yield* Effect.flip(store.stat(key))).reason, "Unavailable")
      assert.strictEqual((yield* Effect.flip(store.put(key, Generate.stream(2, 10)))).reason, "Unavailable")
      assert.strictEqual((yield* Effect.flip(Stream.runDrain(store.read(key)))).reason, "Unavailable")
    })
  )

  it.live("lets go of a request that is interrupted, before and in its answer", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const { store } = yield* Service.open(({ method }, response) => {
        if (method === "GET") response.writeHead(200, { "content-length": 1000 }).write(Buffer.alloc(10))
        else Deferred.doneUnsafe(asked, Effect.void)
      })
      const asking = yield* Effect.forkChild(store.stat(key))
      yield* Deferred.await(asked)
      yield* Fiber.interrupt(asking)
      const begun = yield* Deferred.make<void>()
      const reading = yield* Effect.forkChild(
        Stream.runForEach(store.read(key), () => Deferred.succeed(begun, undefined))
      )
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(reading)
    })
  )

  it.live("repeats a request that fails in passing, as often as it is told", () =>
    Effect.gen(function* () {
      let refusals = 2
      const { seen, store } = yield* Service.open(
        (request, response) =>
          refusals-- > 0 ? Service.refuse(503, "SlowDown")(request, response) : void response.writeHead(200).end(),
        { maxAttempts: 3 }
      )
      assert.strictEqual((yield* store.put(key, Generate.stream(3, 10))).size, 10)
      assert.deepStrictEqual(seen().length, 3)
    })
  )
})

describe("S3BlobStore", () => {
  it.live("answers while many readers take their time", () =>
    Effect.gen(function* () {
      const { store } = yield* Service.open(({ method }, response) => {
        if (method === "HEAD") response.writeHead(200, { "content-length": 7 }).end()
        else response.writeHead(200, { "content-length": 1000 }).write(Buffer.alloc(10))
      })
      for (let reader = 0; reader < 100; reader++) {
        const begun = yield* Deferred.make<void>()
        yield* Effect.forkChild(Stream.runForEach(store.read(key), () => Deferred.succeed(begun, undefined)))
        yield* Deferred.await(begun)
      }
      assert.deepStrictEqual(yield* store.stat(key), { size: 7 })
    })
  )

  it.live("sends the MD5 of a small content, and no checksum of the SDK's", () =>
    Effect.gen(function* () {
      const { received, store } = yield* Service.open((_request, response) => void response.writeHead(200).end())
      yield* store.put(key, Generate.stream(4, 100_000))
      const [request] = received
      assert.isDefined(request)
      assert.isTrue(request.body.equals(Generate.bytes(4, 100_000)))
      assert.strictEqual(request.headers["content-md5"], md5(request.body))
      assert.deepStrictEqual(
        Object.keys(request.headers).filter((name) => /^x-amz-(sdk-)?(checksum|trailer)/.test(name)),
        []
      )
    })
  )

  const size = 20 * 1024 * 1024

  it.live.each([
    [size, false],
    [size - 1, true]
  ] as const)("signs the SHA-256 of every part; the service then tells %i bytes", ([told, isRefused]) =>
    Effect.gen(function* () {
      const { received, seen, store } = yield* Service.open((request, response) => {
        const { body, headers, status } = Service.multipart(told)(request)
        response.writeHead(status, headers).end(body)
      })
      const putting = store.put(key, Generate.stream(5, size))
      if (isRefused) assert.strictEqual((yield* Effect.flip(putting)).reason, "Internal")
      else assert.strictEqual((yield* putting).size, size)
      const parts = received.filter(({ method }) => method === "PUT")
      assert.strictEqual(parts.length, 3)
      for (const { body, headers } of parts) {
        assert.strictEqual(headers["x-amz-content-sha256"], Generate.sha256(body))
      }
      assert.strictEqual(seen().includes("DELETE x-id"), isRefused)
    })
  )

  it.live("removes a content that was interrupted while the service made it visible", () =>
    Effect.gen(function* () {
      const reached = yield* Deferred.make<() => void>()
      const { seen, store } = yield* Service.open(({ method }, response) => {
        if (method === "PUT")
          Deferred.doneUnsafe(
            reached,
            Effect.succeed(() => void response.writeHead(200).end())
          )
        else response.writeHead(204).end()
      })
      const putting = yield* Effect.forkChild(store.put(key, Generate.stream(6, 10)))
      const answer = yield* Deferred.await(reached)
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(putting), { startImmediately: true })
      answer()
      yield* Fiber.join(interrupting)
      assert.deepStrictEqual(
        seen().map((request) => request.split(" ")[0]),
        ["PUT", "DELETE"]
      )
    })
  )
})
