/**
 * Removing, also what is not there.
 */
import * as BlobStore from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import * as Generate from "../../data/Generate.ts"
import * as Blobs from "./Blobs.ts"
import type { Settings, Tester } from "./Settings.ts"

export const register = (it: Tester, { timeout }: Settings): void => {
  it.effect(
    "removes a blob, and only that one",
    () =>
      Effect.gen(function* () {
        const store = yield* BlobStore.BlobStore
        const bucket = { tenantId: Blobs.freshId("ten"), bucketId: Blobs.freshId("bkt") }
        const [gone, stays] = [Blobs.freshKey(bucket), Blobs.freshKey(bucket)]
        const content = Generate.bytes(30, 5000)
        yield* Blobs.put(gone, content)
        yield* Blobs.put(stays, content)
        yield* store.remove(gone)
        yield* Blobs.assertAbsent(gone)
        yield* Blobs.assertStored(stays, content)
      }),
    timeout
  )

  it.effect(
    "succeeds for a key that is missing, was removed, or is being removed by others",
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
    "takes a key again after its removal",
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
