import { assert, describe, it } from "@effect/vitest"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import type { ServerResponse } from "node:http"
import * as Keys from "./support/Keys.ts"
import * as Service from "./support/Service.ts"

const key = Keys.key(0)
const unit = 256 * 1024

const json = (response: ServerResponse, value: unknown, status = 200): void =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value))

const refuse = (response: ServerResponse, status: number, reason: string, message = "no"): void =>
  json(response, { error: { code: status, message, errors: [{ reason, message, domain: "global" }] } }, status)

const md5 = (bytes: Uint8Array): string => createHash("md5").update(bytes).digest("base64")

/** An object's resource. */
const resource = (size: number, md5Hash?: string) => ({
  name: key,
  size: String(size),
  generation: "17",
  metageneration: "1",
  md5Hash
})

describe("GcsBlobStore on a service that errs", () => {
  it.live.each([
    [404, "notFound", "No such object: bucket/name", "NotFound"],
    [404, "notFound", "The specified bucket does not exist.", "Internal"],
    [403, "forbidden", "no", "Internal"],
    [403, "quotaExceeded", "no", "StorageFull"],
    [429, "rateLimitExceeded", "no", "Unavailable"],
    [503, "backendError", "no", "Unavailable"]
  ] as const)("maps %i %s: %s", ([status, code, message, reason]) =>
    Effect.gen(function* () {
      const { store } = yield* Service.open((_request, response) => refuse(response, status, code, message))
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

  it.live.each([[{}], [{ "content-length": 4, "content-encoding": "gzip" }]])(
    "fails a read of a body with the headers %j alone",
    ([headers]) =>
      Effect.gen(function* () {
        const { store } = yield* Service.open((_request, response) => void response.writeHead(200, headers).end("half"))
        assert.strictEqual((yield* Effect.flip(Stream.runDrain(store.read(key)))).reason, "Internal")
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
      const { store } = yield* Service.open(({ url }, response) => {
        if (url.searchParams.has("alt")) response.writeHead(200, { "content-length": 1000 }).write(Buffer.alloc(10))
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

  it.live("answers while many readers take their time", () =>
    Effect.gen(function* () {
      const { store } = yield* Service.open(({ url }, response) => {
        if (url.searchParams.has("alt")) response.writeHead(200, { "content-length": 1000 }).write(Buffer.alloc(10))
        else json(response, resource(7))
      })
      for (let reader = 0; reader < 100; reader++) {
        const begun = yield* Deferred.make<void>()
        yield* Effect.forkChild(Stream.runForEach(store.read(key), () => Deferred.succeed(begun, undefined)))
        yield* Deferred.await(begun)
      }
      assert.deepStrictEqual(yield* store.stat(key), { size: 7 })
    })
  )

  it.live("repeats a request that fails in passing, as often as it is told", () =>
    Effect.gen(function* () {
      let refusals = 2
      const content = Generate.bytes(3, 10)
      const { seen, store } = yield* Service.open(
        (_request, response) =>
          refusals-- > 0 ? refuse(response, 503, "backendError") : json(response, resource(10, md5(content))),
        { maxAttempts: 3 }
      )
      assert.strictEqual((yield* store.put(key, Stream.make(content))).size, 10)
      assert.deepStrictEqual(seen(), ["POST", "POST", "POST"])
    })
  )

  it.live("follows no redirect", () =>
    Effect.gen(function* () {
      const { received, store } = yield* Service.open(
        (_request, response) => void response.writeHead(302, { location: "/elsewhere" }).end()
      )
      assert.strictEqual((yield* Effect.flip(store.stat(key))).reason, "Internal")
      assert.strictEqual(received.length, 1)
    })
  )

  it.live.each(["not JSON", "[]", "null", '{"name":"x"}', '{"items":[{}]}', '{"items":7}'])(
    "fails on the answer %s",
    (text) =>
      Effect.gen(function* () {
        const { store } = yield* Service.open((_request, response) => void response.writeHead(200).end(text))
        assert.strictEqual((yield* Effect.flip(store.stat(key))).reason, "Internal")
        assert.strictEqual((yield* Effect.flip(store.put(key, Generate.stream(1, 10)))).reason, "Internal")
        if (text.includes("items")) {
          assert.strictEqual((yield* Effect.flip(Stream.runDrain(store.list("")))).reason, "Internal")
        }
      })
  )

  it.live("reads no answer without an end", () =>
    Effect.gen(function* () {
      const { store } = yield* Service.open((_request, response) => {
        response.writeHead(200)
        const more = () => void (response.destroyed || response.write(Buffer.alloc(1024 * 1024), more))
        more()
      })
      assert.strictEqual((yield* Effect.flip(store.stat(key))).reason, "Internal")
    })
  )

  it.live("has the project pay where the bucket leaves that to who asks", () =>
    Effect.gen(function* () {
      const message = "Bucket is requester pays bucket but no user project provided."
      const { received, store } = yield* Service.open(
        ({ url }, response) =>
          url.searchParams.get("userProject") === "payer"
            ? json(response, resource(7))
            : refuse(response, 400, "required", message),
        { projectId: "payer" }
      )
      yield* Effect.repeat(store.stat(key), { times: 1 })
      assert.deepStrictEqual(
        received.map(({ url }) => url.searchParams.get("userProject")),
        [null, "payer", "payer"]
      )
    })
  )

  it.live("is unavailable while the token endpoint is, and wrongly configured when that refuses", () =>
    Effect.gen(function* () {
      const { endpoint, store: good } = yield* Service.open(({ url }, response) => {
        if (url.pathname === "/down") refuse(response, 503, "")
        else if (url.pathname === "/no") json(response, { error: "invalid_grant", error_description: "no" }, 400)
        else if (url.pathname === "/odd") json(response, { access_token: "a\r\nb: c", expires_in: 3600 })
        else json(response, resource(7))
      })
      assert.deepStrictEqual(yield* good.stat(key), { size: 7 })
      for (const [path, reason] of [
        ["down", "Unavailable"],
        ["no", "Internal"],
        ["odd", "Internal"]
      ] as const) {
        const credentials = Service.credentials(`${endpoint}/${path}`)
        const { received, store } = yield* Service.open((_request, response) => json(response, resource(7)), {
          credentials
        })
        assert.strictEqual((yield* Effect.flip(store.stat(key))).reason, reason)
        assert.strictEqual(received.length, 0)
      }
    })
  )
})

describe("GcsBlobStore on a service that errs under an upload", () => {
  it.live.each([
    [9, undefined],
    [10, md5(Buffer.from("others"))]
  ] as const)("removes what it keeps of 10 bytes: %i with MD5 %s", ([size, told]) =>
    Effect.gen(function* () {
      const { received, store } = yield* Service.open(({ method }, response) =>
        method === "DELETE" ? void response.writeHead(204).end() : json(response, resource(size, told))
      )
      assert.strictEqual((yield* Effect.flip(store.put(key, Generate.stream(5, 10)))).reason, "Unavailable")
      assert.deepStrictEqual(
        received.map(({ method, url }) => [method, url.searchParams.get("ifGenerationMatch")]),
        [
          ["POST", null],
          ["DELETE", "17"]
        ]
      )
    })
  )

  it.live("removes a content that was interrupted while the service made it visible", () =>
    Effect.gen(function* () {
      const reached = yield* Deferred.make<() => void>()
      const { received, store } = yield* Service.open(({ method }, response) => {
        if (method === "POST")
          Deferred.doneUnsafe(
            reached,
            Effect.succeed(() => json(response, resource(10)))
          )
        else response.writeHead(204).end()
      })
      const putting = yield* Effect.forkChild(store.put(key, Generate.stream(6, 10)))
      const answer = yield* Deferred.await(reached)
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(putting), { startImmediately: true })
      answer()
      yield* Fiber.join(interrupting)
      assert.deepStrictEqual(
        received.map(({ method, url }) => [method, url.searchParams.get("ifGenerationMatch")]),
        [
          ["POST", null],
          ["DELETE", "17"]
        ]
      )
    })
  )

  it.live("sends nothing to where the service says the upload goes on, but to the service", () =>
    Effect.gen(function* () {
      const size = unit + 1
      const { received, store } = yield* Service.open(
        ({ headers, method }, response) => {
          if (method === "POST") {
            response.writeHead(200, { location: "http://127.0.0.1:9/elsewhere?upload_id=u1&more=1" }).end()
          } else if (headers["content-range"] === `bytes 0-${unit - 1}/*`) {
            response.writeHead(308, { range: `bytes=0-${unit - 1}` }).end()
          } else json(response, resource(size))
        },
        { chunkBytes: unit }
      )
      assert.strictEqual((yield* store.put(key, Generate.stream(7, size))).size, size)
      const paths = received.map(({ url }) => `${url.pathname}${url.search}`)
      const path = "/upload/storage/v1/b/bucket/o?"
      assert.deepStrictEqual(paths, [
        `${path}uploadType=resumable`,
        `${path}upload_id=u1&more=1`,
        `${path}upload_id=u1&more=1`
      ])
    })
  )

  it.live.each([
    ["keeps nothing", {}],
    ["says that it keeps more than it was sent", { range: `bytes=0-${2 * unit - 1}` }]
  ] as const)("gives up on one that %s, and cancels", ([, headers]) =>
    Effect.gen(function* () {
      const { seen, store } = yield* Service.open(
        ({ method }, response) => {
          if (method === "POST") response.writeHead(200, { location: "http://service/?upload_id=u1" }).end()
          else if (method === "PUT") response.writeHead(308, headers).end()
          else response.writeHead(499).end()
        },
        { chunkBytes: unit, maxAttempts: 2 }
      )
      assert.strictEqual((yield* Effect.flip(store.put(key, Generate.stream(8, unit + 1)))).reason, "Unavailable")
      assert.strictEqual(seen().at(-1), "DELETE")
      assert.isAtMost(seen().length, 4)
    })
  )
})
