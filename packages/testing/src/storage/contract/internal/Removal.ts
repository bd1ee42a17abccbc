/**
 * The tests of removal.
 */
import { assert } from "@effect/vitest"
import * as BlobStore from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import * as Generate from "../../../data/Generate.ts"
import * as Blobs from "./Blobs.ts"
import type { Settings, Tester } from "./Settings.ts"

export const register = (it: Tester, { timeout }: Settings): void => {
  it.effect(
    "remove: one of two blobs → only that one removed",
    () =>
      Effect.gen(function* () {
        const store = yield* BlobStore.BlobStore
        const bucket = { tenantId: Blobs.freshId("ten"), bucketId: Blobs.freshId("bkt") }
        const [removed, kept] = [Blobs.freshKey(bucket), Blobs.freshKey(bucket)]
        const content = Generate.bytes(30, 5000)
        yield* Blobs.put(removed, content)
        yield* Blobs.put(kept, content)
        yield* store.remove(removed)
        yield* Blobs.assertAbsent(removed)
        yield* Blobs.assertStored(kept, content)
      }),
    timeout
  )

  it.effect(
    "remove: key missing, removed already or concurrently → success",
    () =>
      Effect.gen(function* () {
        const store = yield* BlobStore.BlobStore
        const key = Blobs.freshKey()
        yield* store.remove(key)
        yield* Blobs.put(key, Generate.bytes(31, 5000))
        yield* Effect.all(
          Array.from({ length: 10 }, () => store.remove(key)),
          { concurrency: "unbounded", discard: true }
        )
        yield* store.remove(key)
        yield* Blobs.assertAbsent(key)
      }),
    timeout
  )

  it.effect(
    "removeMany, where the store has it: blobs of two buckets and a missing one → all of them removed, no other",
    () =>
      Effect.gen(function* () {
        const store = yield* BlobStore.BlobStore
        if (store.removeMany === undefined) return
        const [bucket, other] = [{ bucketId: Blobs.freshId("bkt") }, { bucketId: Blobs.freshId("bkt") }]
        const keys = Array.from({ length: 20 }, (_, index) => Blobs.freshKey(index % 2 === 0 ? bucket : other))
        const kept = Blobs.freshKey(bucket)
        const content = Generate.bytes(34, 100)
        for (const key of [...keys, kept]) yield* Blobs.put(key, content)
        const missing = Blobs.freshKey(bucket)
        assert.deepStrictEqual(yield* store.removeMany([...keys, missing, "../x"]), new Set([...keys, missing]))
        for (const key of keys) yield* Blobs.assertAbsent(key)
        yield* Blobs.assertStored(kept, content)
        assert.deepStrictEqual(yield* store.removeMany([]), new Set())
      }),
    timeout
  )

  it.effect(
    "put: key of a removed blob → stored",
    () =>
      Effect.gen(function* () {
        const store = yield* BlobStore.BlobStore
        const key = Blobs.freshKey()
        const content = Generate.bytes(33, 6000)
        yield* Blobs.put(key, Generate.bytes(32, 5000))
        yield* store.remove(key)
        yield* Blobs.put(key, content)
        yield* Blobs.assertStored(key, content)
      }),
    timeout
  )
}
