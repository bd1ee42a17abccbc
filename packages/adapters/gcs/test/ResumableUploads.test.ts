import { assert, layer } from "@effect/vitest"
import * as BlobKeys from "@holdfast/testing/data/BlobKeys"
import * as Generate from "@holdfast/testing/data/Generate"
import * as FakeGcs from "@holdfast/testing/servers/gcs/FakeGcs"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as GcsBlobStore from "../src/GcsBlobStore.ts"
import * as ScriptedGcs from "./support/ScriptedGcs.ts"
import * as Store from "./support/Store.ts"

const key = BlobKeys.key(0)
const unit = 256 * 1024
const chunkBytes = 4 * unit
const size = 3 * chunkBytes + 5

/** The ranges of the four chunks of a content. The last one has the content's size. */
const chunks = [0, 1, 2, 3].map((index) => {
  const end = Math.min(size, (index + 1) * chunkBytes)
  return `bytes ${index * chunkBytes}-${end - 1}/${index === 3 ? size : "*"}`
})

/** Opens a store whose chunks are a quarter of the content. */
const open = Effect.gen(function* () {
  const fake = yield* FakeGcs.FakeGcs
  const options = yield* Store.makeBucket
  const store = yield* GcsBlobStore.make({ ...options, chunkBytes })
  const pending = fake.pendingUploads(options.bucket)
  yield* fake.takeRequests
  const content = Generate.bytes(1, size)
  return {
    injectFault: fake.injectFault,
    put: (bytes: number) => store.put(key, Generate.stream(1, bytes)),
    /** The ranges that were sent since the last call. */
    ranges: Effect.map(fake.takeRequests, (requests) =>
      requests.flatMap(({ headers, method }) => (method === "PUT" ? [headers["content-range"]] : []))
    ),
    assertStored: Effect.gen(function* () {
      assert.isTrue(Buffer.concat(yield* Stream.runCollect(store.read(key))).equals(content))
      assert.deepStrictEqual(yield* pending, [])
    }),
    assertAbsent: Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(store.stat(key))).reason, "NotFound")
      assert.deepStrictEqual(yield* pending, [])
    })
  }
})

/** Opens a store at a service that keeps so many of the bytes that it is sent. Returns how many bytes it was sent. */
const openPartial = Effect.fnUntraced(function* (keep: (sent: number) => number) {
  const { requests, store } = yield* ScriptedGcs.openStore(
    ({ headers, method }, response) => {
      if (method === "DELETE") return void response.writeHead(499).end()
      if (method === "POST") return void response.writeHead(200, { location: "http://service/?upload_id=1" }).end()
      const [, from = "0", to = "-1", total] = /^bytes (\d+)-(\d+)\/(\d+)?/.exec(headers["content-range"] ?? "") ?? []
      const kept = Number(from) + keep(Number(to) + 1 - Number(from))
      if (kept === Number(total)) return ScriptedGcs.sendJson(response, ScriptedGcs.resource(kept))
      response.writeHead(308, { range: `bytes=0-${kept - 1}`, "content-length": 0 }).end()
    },
    { chunkBytes, maxAttempts: 3 }
  )
  const sentBytes = () => requests.reduce((sum, { body, method }) => sum + (method === "PUT" ? body.byteLength : 0), 0)
  return { put: store.put(key, Generate.stream(1, size)), sentBytes }
})

layer(FakeGcs.layer, { excludeTestServices: true })("GcsBlobStore: resumable uploads", (it) => {
  it.effect("connection cut within a chunk → continued after the bytes that the service kept", () =>
    Effect.gen(function* () {
      const { assertStored, injectFault, put, ranges } = yield* open
      yield* injectFault({ fault: { kind: "cutRequest", after: 2 * unit + 10 }, match: /^PUT/, skip: 1 })
      yield* put(size)
      const rest = `bytes ${chunkBytes + 2 * unit}-${2 * chunkBytes - 1}/*`
      assert.deepStrictEqual(yield* ranges, [...chunks.slice(0, 2), "bytes */*", rest, ...chunks.slice(2)])
      yield* assertStored
    })
  )

  it.effect.each([0, 1, 2, 3])("response to chunk %i lost → the chunk is not sent again", (index) =>
    Effect.gen(function* () {
      const { assertStored, injectFault, put, ranges } = yield* open
      yield* injectFault({ fault: { kind: "cutResponse", after: 0 }, match: /^PUT/, skip: index })
      yield* put(size)
      const status = index === 3 ? `bytes */${size}` : "bytes */*"
      assert.deepStrictEqual(yield* ranges, chunks.toSpliced(index + 1, 0, status))
      yield* assertStored
    })
  )

  it.effect("service busy → the chunk is sent again", () =>
    Effect.gen(function* () {
      const { assertStored, injectFault, put, ranges } = yield* open
      yield* injectFault({ fault: { kind: "refuse", status: 503 }, match: /^PUT/, skip: 1, times: 2 })
      yield* put(size)
      const [first, second, ...rest] = chunks
      assert.deepStrictEqual(yield* ranges, [first, second, "bytes */*", "bytes */*", second, ...rest])
      yield* assertStored
    })
  )

  it.effect.each([
    [503, 3],
    [410, 1],
    [404, 1]
  ] as const)(
    "service answers %i → Unavailable after %i attempts, nothing visible, no upload pending",
    ([status, attempts]) =>
      Effect.gen(function* () {
        const { assertAbsent, injectFault, put, ranges } = yield* open
        yield* injectFault({ fault: { kind: "refuse", status }, match: /^PUT/, skip: 2, times: attempts })
        const error = yield* Effect.flip(put(size))
        assert.deepStrictEqual([error._tag, error.reason], ["BlobError", "Unavailable"])
        assert.strictEqual((yield* ranges).length, 2 + attempts)
        yield* assertAbsent
      })
  )

  it.effect.each([0, 1, 2, 3])(
    "chunk %i damaged in transit → Unavailable, nothing visible, no upload pending",
    (index) =>
      Effect.gen(function* () {
        const { assertAbsent, injectFault, put } = yield* open
        yield* injectFault({ fault: { kind: "damage" }, match: /^PUT/, skip: index })
        assert.strictEqual((yield* Effect.flip(put(size))).reason, "Unavailable")
        yield* assertAbsent
      })
  )

  it.effect("service keeps three quarters of what it is sent → the rest is sent", () =>
    Effect.gen(function* () {
      const { put, sentBytes } = yield* openPartial((sent) => Math.ceil((sent * 3) / 4))
      assert.strictEqual((yield* put).size, size)
      assert.isBelow(sentBytes(), 1.5 * size)
    })
  )

  it.effect.each([
    ["one byte", () => 1],
    ["a quarter", (sent: number) => Math.ceil(sent / 4)]
  ] as const)("service keeps %s of what it is sent → Unavailable after three attempts", ([, keep]) =>
    Effect.gen(function* () {
      const { put, sentBytes } = yield* openPartial(keep)
      assert.strictEqual((yield* Effect.flip(put)).reason, "Unavailable")
      assert.isAtMost(sentBytes(), 3 * chunkBytes)
    })
  )

  it.effect("response to the first request lost → sent again", () =>
    Effect.gen(function* () {
      const { injectFault, put } = yield* open
      yield* injectFault({ fault: { kind: "cutResponse", after: 0 }, match: /^POST/ })
      assert.strictEqual((yield* put(100)).size, 100)
      yield* injectFault({ fault: { kind: "cutResponse", after: 0 }, match: /^POST/ })
      assert.strictEqual((yield* put(size)).size, size)
    })
  )
})
