import { assert, layer } from "@effect/vitest"
import * as Generate from "@holdfast/testing/data/Generate"
import * as FakeGcs from "@holdfast/testing/servers/gcs/FakeGcs"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as GcsBlobStore from "../src/GcsBlobStore.ts"
import * as Bucket from "./support/Bucket.ts"
import * as Keys from "./support/Keys.ts"

const key = Keys.key(0)
const unit = 256 * 1024
const chunkBytes = 4 * unit
const size = 3 * chunkBytes + 5

/** The ranges of the four pieces of a content, of which the last tells the size. */
const pieces = [0, 1, 2, 3].map((index) => {
  const end = Math.min(size, (index + 1) * chunkBytes)
  return `bytes ${index * chunkBytes}-${end - 1}/${index === 3 ? size : "*"}`
})

/** Puts a content in four pieces to a service to be disturbed. */
const open = Effect.gen(function* () {
  const fake = yield* FakeGcs.FakeGcs
  const options = yield* Bucket.options
  const store = yield* GcsBlobStore.make({ ...options, chunkBytes })
  const uploads = fake.pendingUploads(options.bucket)
  yield* fake.takeRequests
  const content = Generate.bytes(1, size)
  return {
    injectFault: fake.injectFault,
    put: (bytes: number) => store.put(key, Generate.stream(1, bytes)),
    /** The ranges that were sent since. */
    ranges: Effect.map(fake.takeRequests, (received) =>
      received.flatMap(({ headers, method }) => (method === "PUT" ? [headers["content-range"]] : []))
    ),
    assertStands: Effect.gen(function* () {
      assert.isTrue(Buffer.concat(yield* Stream.runCollect(store.read(key))).equals(content))
      assert.deepStrictEqual(yield* uploads, [])
    }),
    assertNothing: Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(store.stat(key))).reason, "NotFound")
      assert.deepStrictEqual(yield* uploads, [])
    })
  }
})

layer(FakeGcs.layer, { excludeTestServices: true })("An upload of a GcsBlobStore", (it) => {
  it.effect("goes on from what is kept when the connection ends within a piece", () =>
    Effect.gen(function* () {
      const { assertStands, injectFault, put, ranges } = yield* open
      yield* injectFault({ fault: { kind: "cutRequest", after: 2 * unit + 10 }, match: /^PUT/, skip: 1 })
      yield* put(size)
      const rest = `bytes ${chunkBytes + 2 * unit}-${2 * chunkBytes - 1}/*`
      assert.deepStrictEqual(yield* ranges, [...pieces.slice(0, 2), "bytes */*", rest, ...pieces.slice(2)])
      yield* assertStands
    })
  )

  it.effect.each([0, 1, 2, 3])("does not send piece %i again whose answer was lost", (index) =>
    Effect.gen(function* () {
      const { assertStands, injectFault, put, ranges } = yield* open
      yield* injectFault({ fault: { kind: "cutResponse", after: 0 }, match: /^PUT/, skip: index })
      yield* put(size)
      const question = index === 3 ? `bytes */${size}` : "bytes */*"
      assert.deepStrictEqual(yield* ranges, pieces.toSpliced(index + 1, 0, question))
      yield* assertStands
    })
  )

  it.effect("sends a piece again that the service had no time for", () =>
    Effect.gen(function* () {
      const { assertStands, injectFault, put, ranges } = yield* open
      yield* injectFault({ fault: { kind: "refuse", status: 503 }, match: /^PUT/, skip: 1, times: 2 })
      yield* put(size)
      const [first, second, ...rest] = pieces
      assert.deepStrictEqual(yield* ranges, [first, second, "bytes */*", "bytes */*", second, ...rest])
      yield* assertStands
    })
  )

  it.effect.each([
    [503, 3],
    [410, 1],
    [404, 1]
  ] as const)("fails when the service answers %i, after %i attempts, and leaves nothing", ([status, attempts]) =>
    Effect.gen(function* () {
      const { assertNothing, injectFault, put, ranges } = yield* open
      yield* injectFault({ fault: { kind: "refuse", status }, match: /^PUT/, skip: 2, times: attempts })
      const error = yield* Effect.flip(put(size))
      assert.deepStrictEqual([error._tag, error.reason], ["BlobError", "Unavailable"])
      assert.strictEqual((yield* ranges).length, 2 + attempts)
      yield* assertNothing
    })
  )

  it.effect.each([0, 1, 2, 3])("leaves nothing of a content whose piece %i was damaged on its way", (index) =>
    Effect.gen(function* () {
      const { assertNothing, injectFault, put } = yield* open
      yield* injectFault({ fault: { kind: "damage" }, match: /^PUT/, skip: index })
      assert.strictEqual((yield* Effect.flip(put(size))).reason, "Unavailable")
      yield* assertNothing
    })
  )

  it.effect("begins again and inserts again where the answer was lost", () =>
    Effect.gen(function* () {
      const { injectFault, put } = yield* open
      yield* injectFault({ fault: { kind: "cutResponse", after: 0 }, match: /^POST/ })
      assert.strictEqual((yield* put(100)).size, 100)
      yield* injectFault({ fault: { kind: "cutResponse", after: 0 }, match: /^POST/ })
      assert.strictEqual((yield* put(size)).size, size)
    })
  )
})
