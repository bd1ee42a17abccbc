import { assert, describe, it } from "@effect/vitest"
import * as BlobStore from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Generate from "../../src/data/Generate.ts"
import * as BlobFaults from "../../src/storage/BlobFaults.ts"
import * as BlobStoreContract from "../../src/storage/BlobStoreContract.ts"
import * as Blobs from "../../src/storage/contract/internal/Blobs.ts"
import * as FaultyBlobStore from "../../src/storage/FaultyBlobStore.ts"
import * as MemoryBlobStore from "../../src/storage/MemoryBlobStore.ts"

const layer = Layer.provide(FaultyBlobStore.layer, MemoryBlobStore.layer)

BlobStoreContract.suite("FaultyBlobStore without faults", layer, { boundedMemory: false })

describe("FaultyBlobStore", () => {
  const content = Generate.bytes(1, 300_000)

  const both = Effect.all({ store: BlobStore.BlobStore, faults: BlobFaults.BlobFaults })

  it.effect("fail: chosen methods → they fail until cleared; calls are counted", () =>
    Effect.gen(function* () {
      const { store, faults } = yield* both
      const key = Blobs.freshKey()
      for (const method of ["put", "read", "stat", "remove", "list", "check"] as const) {
        yield* faults.inject({ method, action: BlobFaults.fail("Unavailable") })
      }
      const failures = yield* Effect.all([
        Effect.flip(Blobs.put(key, content)),
        Effect.flip(Blobs.readAll(key)),
        Effect.flip(store.stat(key)),
        Effect.flip(store.remove(key)),
        Effect.flip(Stream.runDrain(store.list(""))),
        Effect.flip(store.check)
      ])
      assert.deepStrictEqual(
        failures.map(({ operation, reason }) => [operation, reason]),
        ["put", "read", "stat", "remove", "list", "check"].map((operation) => [operation, "Unavailable"])
      )
      yield* faults.clear
      yield* Blobs.put(key, content)
      yield* Blobs.assertStored(key, content)
      assert.strictEqual(yield* faults.calls("put"), 2)
      assert.strictEqual(yield* faults.calls("remove"), 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("fail: chosen key and call → only that call fails", () =>
    Effect.gen(function* () {
      const { store, faults } = yield* both
      const [one, two] = [Blobs.freshKey(), Blobs.freshKey()]
      yield* Blobs.put(one, content)
      yield* Blobs.put(two, content)
      yield* faults.inject({
        method: "stat",
        action: BlobFaults.fail("Unavailable"),
        key: (key) => key === one,
        calls: (nth) => nth === 2
      })
      const outcomes = yield* Effect.forEach([two, one, two, one, one], (key) => Effect.exit(store.stat(key)))
      assert.deepStrictEqual(outcomes.map(Exit.isSuccess), [true, true, true, false, true])
    }).pipe(Effect.provide(layer))
  )

  it.effect.each([0, 1, 100_000, 300_000])("failAfter: put, after %i bytes → fails, no blob", (bytes) =>
    Effect.gen(function* () {
      const { faults } = yield* both
      const key = Blobs.freshKey()
      yield* faults.inject({ method: "put", action: BlobFaults.failAfter(bytes, "StorageFull") })
      const error = yield* Effect.flip(Blobs.put(key, content, [10_000]))
      assert.strictEqual(error.reason, "StorageFull")
      yield* faults.clear
      yield* Blobs.assertAbsent(key)
    }).pipe(Effect.provide(layer))
  )

  it.effect("failAfter: put with fewer bytes → succeeds", () =>
    Effect.gen(function* () {
      const { faults } = yield* both
      const key = Blobs.freshKey()
      yield* faults.inject({ method: "put", action: BlobFaults.failAfter(content.byteLength + 1, "StorageFull") })
      yield* Blobs.put(key, content)
      yield* Blobs.assertStored(key, content)
    }).pipe(Effect.provide(layer))
  )

  it.effect("failUnreported: put and remove → done, but fail", () =>
    Effect.gen(function* () {
      const { store, faults } = yield* both
      const key = Blobs.freshKey()
      yield* faults.inject({ method: "put", action: BlobFaults.failUnreported("Unavailable") })
      yield* faults.inject({ method: "remove", action: BlobFaults.failUnreported("Unavailable") })
      yield* Effect.flip(Blobs.put(key, content))
      yield* Blobs.assertStored(key, content)
      yield* Effect.flip(store.remove(key))
      yield* Blobs.assertAbsent(key)
    }).pipe(Effect.provide(layer))
  )

  it.effect.each([0, 1, 64 * 1024, 100_000])("failAfter: read, after %i bytes → these bytes, then fails", (bytes) =>
    Effect.gen(function* () {
      const { store, faults } = yield* both
      const key = Blobs.freshKey()
      yield* Blobs.put(key, content)
      yield* faults.inject({ method: "read", action: BlobFaults.failAfter(bytes, "Unavailable") })
      const got: Array<Uint8Array> = []
      const reading = Stream.runForEach(store.read(key), (chunk) => Effect.sync(() => void got.push(chunk)))
      assert.strictEqual((yield* Effect.flip(reading)).reason, "Unavailable")
      Blobs.assertSame(Buffer.concat(got), content.subarray(0, bytes))
    }).pipe(Effect.provide(layer))
  )

  it.effect("cutAfter: read and put → truncated, but succeed", () =>
    Effect.gen(function* () {
      const { faults } = yield* both
      const key = Blobs.freshKey()
      yield* faults.inject({ method: "put", action: BlobFaults.cutAfter(200_000) })
      // All chunks in one pull, so that the content is cut within a pull.
      const receipt = yield* Effect.flatMap(BlobStore.BlobStore, (store) =>
        store.put(key, Stream.make(content.subarray(0, 150_000), content.subarray(150_000), content))
      )
      assert.deepStrictEqual(receipt, { size: 200_000, sha256: Generate.sha256(content.subarray(0, 200_000)) })
      yield* faults.inject({ method: "read", action: BlobFaults.cutAfter(70_000) })
      Blobs.assertSame(yield* Blobs.readAll(key), content.subarray(0, 70_000))
    }).pipe(Effect.provide(layer))
  )

  it.effect("delay and before: put → waits for the time and for the test's effect", () =>
    Effect.gen(function* () {
      const { store, faults } = yield* both
      const key = Blobs.freshKey()
      const latch = yield* Latch.make()
      yield* faults.inject({ method: "put", action: BlobFaults.delay("1 minute") })
      yield* faults.inject({ method: "put", action: BlobFaults.before(latch.await) })
      const putting = yield* Effect.forkChild(Blobs.put(key, content), { startImmediately: true })
      yield* TestClock.adjust("59 seconds")
      yield* latch.open
      yield* Blobs.assertAbsent(key)
      assert.isUndefined(putting.pollUnsafe())
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(putting)
      yield* Blobs.assertStored(key, content)
      assert.isUndefined(store.localFile(key))
    }).pipe(Effect.provide(layer))
  )
})
