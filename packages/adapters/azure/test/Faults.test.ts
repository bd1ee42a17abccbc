import { assert, describe, it } from "@effect/vitest"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { inspect } from "node:util"
import * as AzureBlobStore from "../src/AzureBlobStore.ts"
import * as Keys from "./support/Keys.ts"
import * as Service from "./support/Service.ts"

const key = Keys.key(0)

const md5 = (body: Buffer): string => createHash("md5").update(body).digest("base64")

describe("AzureBlobStore on a service that errs", () => {
  it.live.each([
    [404, "BlobNotFound", "NotFound"],
    [404, "ContainerNotFound", "Internal"],
    [403, "AuthenticationFailed", "Internal"],
    [507, "InsufficientStorage", "StorageFull"],
    [400, "Md5Mismatch", "Unavailable"],
    [503, "ServerBusy", "Unavailable"],
    [500, "InternalError", "Unavailable"]
  ] as const)("maps %i %s", ([status, code, reason]) =>
    Effect.gen(function* () {
      const { store } = yield* Service.open(Service.refuse(status, code))
      const failures = yield* Effect.all([
        Effect.flip(store.put(key, Generate.stream(1, 10))),
        Effect.flip(Stream.runDrain(store.read(key))),
        Effect.flip(store.stat(key)),
        Effect.flip(Stream.runDrain(store.list("")))
      ])
      assert.deepStrictEqual(
        failures.map((error) => error.reason),
        [reason, reason, reason, reason]
      )
    })
  )

  it.live("fails a read that is cut, without another request", () =>
    Effect.gen(function* () {
      const { seen, store } = yield* Service.open(
        (_request, response) => {
          Service.blob(response, 1000).write(Buffer.alloc(400), () => response.destroy())
        },
        { maxAttempts: 3 }
      )
      let count = 0
      const reading = Stream.runForEach(store.read(key), (chunk) => Effect.sync(() => (count += chunk.byteLength)))
      const error = yield* Effect.flip(reading)
      assert.deepStrictEqual([error.reason, error.operation], ["Unavailable", "read"])
      assert.isBelow(count, 1000)
      assert.deepStrictEqual(seen(), ["GET"])
    })
  )

  it.live.each([999, 5000])("fails a range for which %i bytes come instead of 1000", (size) =>
    Effect.gen(function* () {
      const { received, store } = yield* Service.open((_request, response) => {
        Service.blob(response, size, 206).end(Buffer.alloc(size))
      })
      let count = 0
      const reading = Stream.runForEach(store.read(key, { range: { offset: 7, length: 1000 } }), () =>
        Effect.sync(() => count++)
      )
      assert.strictEqual((yield* Effect.flip(reading)).reason, "Internal")
      assert.strictEqual(count, 0)
      assert.strictEqual(received[0]?.headers["x-ms-range"], "bytes=7-1006")
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

  it.live("gives up on a service that stops midway", () =>
    Effect.gen(function* () {
      const { store } = yield* Service.open(
        (_request, response) => void Service.blob(response, 1000).write(Buffer.alloc(400)),
        { idleTimeout: "50 millis" }
      )
      assert.strictEqual((yield* Effect.flip(Stream.runDrain(store.read(key)))).reason, "Unavailable")
    })
  )

  it.live("follows no redirect", () =>
    Effect.gen(function* () {
      const { seen, store } = yield* Service.open(
        (_request, response) => void response.writeHead(307, { location: "/elsewhere" }).end()
      )
      assert.strictEqual((yield* Effect.flip(store.stat(key))).reason, "Internal")
      assert.strictEqual((yield* Effect.flip(Stream.runDrain(store.read(key)))).reason, "Internal")
      assert.deepStrictEqual(seen(), ["HEAD", "GET"])
    })
  )

  it.live("sends no token over a connection without TLS", () =>
    Effect.gen(function* () {
      const { account, seen } = yield* Service.serve((_request, response) => Service.created(response))
      const { accountName, endpoint } = account
      const token = { getToken: async () => ({ token: "a token", expiresOnTimestamp: Number.MAX_SAFE_INTEGER }) }
      const store = yield* AzureBlobStore.make({ accountName, endpoint, token, container: "container" })
      assert.strictEqual((yield* Effect.flip(store.put(key, Generate.stream(3, 10)))).reason, "Internal")
      assert.deepStrictEqual(seen(), [])
    })
  )

  it.live.each([
    { connectionString: Redacted.make("AccountKey=verysecret;BlobEndpoint") },
    { accountName: "Not A Name", accountKey: Redacted.make("verysecret") },
    { accountName: "account", accountKey: Redacted.make("verysecret"), endpoint: "https://verysecret@example.com" }
  ])("does not open what is no account: %j", (account) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(AzureBlobStore.make({ ...account, container: "container" }))
      assert.deepStrictEqual([error.reason, error.operation], ["Internal", "open"])
      assert.notInclude(inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true }), "verysecret")
    })
  )

  it.live("lets go of a request that is interrupted, before and in its answer", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const { store } = yield* Service.open(({ method }, response) => {
        if (method === "GET") Service.blob(response, 1000).write(Buffer.alloc(10))
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
          refusals-- > 0 ? Service.refuse(503, "ServerBusy")(request, response) : Service.created(response),
        { maxAttempts: 3 }
      )
      assert.strictEqual((yield* store.put(key, Generate.stream(3, 10))).size, 10)
      assert.strictEqual(seen().length, 3)
    })
  )
})

describe("AzureBlobStore", () => {
  it.live("answers while many readers take their time", () =>
    Effect.gen(function* () {
      const { store } = yield* Service.open(({ method }, response) => {
        if (method === "HEAD") Service.blob(response, 7).end()
        else Service.blob(response, 1000).write(Buffer.alloc(10))
      })
      for (let reader = 0; reader < 100; reader++) {
        const begun = yield* Deferred.make<void>()
        yield* Effect.forkChild(Stream.runForEach(store.read(key), () => Deferred.succeed(begun, undefined)))
        yield* Deferred.await(begun)
      }
      assert.deepStrictEqual(yield* store.stat(key), { size: 7 })
    })
  )

  it.live("sends the MD5 of a small content, in one request", () =>
    Effect.gen(function* () {
      const { received, seen, store } = yield* Service.open((_request, response) => Service.created(response))
      yield* store.put(key, Generate.stream(4, 100_000))
      assert.deepStrictEqual(seen(), ["PUT"])
      const [request] = received
      assert.isDefined(request)
      assert.isTrue(request.body.equals(Generate.bytes(4, 100_000)))
      assert.strictEqual(request.headers["content-md5"], md5(request.body))
    })
  )

  it.live("sends the MD5 of every block, whose ids are those of no other put", () =>
    Effect.gen(function* () {
      const { received, store } = yield* Service.open((_request, response) => Service.created(response))
      const size = 20 * 1024 * 1024
      for (let turn = 0; turn < 2; turn++)
        assert.strictEqual((yield* store.put(key, Generate.stream(5, size))).size, size)
      const blocks = received.filter(({ url }) => url.searchParams.get("comp") === "block")
      for (const { body, headers } of blocks) assert.strictEqual(headers["content-md5"], md5(body))
      const ids = blocks.map(({ url }) => url.searchParams.get("blockid") ?? "")
      assert.strictEqual(new Set(ids).size, 6)
      assert.strictEqual(new Set(ids.map((id) => id.length)).size, 1)
      const lists = received.filter(({ url }) => url.searchParams.get("comp") === "blocklist")
      assert.deepStrictEqual(
        lists.map(({ body }) => [...body.toString().matchAll(/<Latest>(.*?)<\/Latest>/g)].length),
        [3, 3]
      )
      assert.deepStrictEqual(
        lists.flatMap(({ body }) => [...body.toString().matchAll(/<Latest>(.*?)<\/Latest>/g)].map(([, id]) => id)),
        [...ids.slice(0, 3).toSorted(), ...ids.slice(3).toSorted()]
      )
    })
  )

  it.live("removes a content that was interrupted while the service made it visible", () =>
    Effect.gen(function* () {
      const reached = yield* Deferred.make<() => void>()
      const { seen, store } = yield* Service.open(({ method }, response) => {
        if (method === "PUT")
          Deferred.doneUnsafe(
            reached,
            Effect.succeed(() => Service.created(response))
          )
        else response.writeHead(202).end()
      })
      const putting = yield* Effect.forkChild(store.put(key, Generate.stream(6, 10)))
      const answer = yield* Deferred.await(reached)
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(putting), { startImmediately: true })
      answer()
      yield* Fiber.join(interrupting)
      assert.deepStrictEqual(seen(), ["PUT", "DELETE"])
    })
  )
})
