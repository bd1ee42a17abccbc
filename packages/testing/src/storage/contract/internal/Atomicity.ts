/**
 * The tests that a blob is there as a whole or not at all.
 */
import { assert } from "@effect/vitest"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import * as BlobStore from "@holdfast/core/storage/BlobStore"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as Generate from "../../../data/Generate.ts"
import * as Blobs from "./Blobs.ts"
import type { Settings, Tester } from "./Settings.ts"

class SourceError extends Data.TaggedError("SourceError")<{ readonly at: number }> {}

/** How many bytes a source delivers before it fails or is interrupted. */
const points = [0, 1, 100_000, 3 * Blobs.mebibyte + 5]

export const register = (it: Tester, { timeout }: Settings): void => {
  it.effect.each(points)(
    "put: source fails after %i bytes → source's error, no blob",
    (at) =>
      Effect.gen(function* () {
        const store = yield* BlobStore.BlobStore
        const key = Blobs.freshKey()
        const error = new SourceError({ at })
        const failure = yield* Effect.flip(store.put(key, Stream.concat(Generate.stream(1, at), Stream.fail(error))))
        assert.strictEqual(failure, error)
        yield* Blobs.assertAbsent(key)
      }),
    timeout
  )

  it.effect(
    "put: source dies → source's defect, no blob",
    () =>
      Effect.gen(function* () {
        const store = yield* BlobStore.BlobStore
        const key = Blobs.freshKey()
        const defect = new Error("a bug in the source")
        const content = Stream.concat(Generate.stream(2, 200_000), Stream.die(defect))
        const exit = yield* Effect.exit(store.put(key, content))
        assert.isTrue(Exit.isFailure(exit) && Cause.squash(exit.cause) === defect)
        yield* Blobs.assertAbsent(key)
      }),
    timeout
  )

  it.effect.each(points)(
    "put: interrupted after %i bytes → no blob, neither before nor after the interruption",
    (at) =>
      Effect.gen(function* () {
        const store = yield* BlobStore.BlobStore
        const key = Blobs.freshKey()
        const content = yield* Blobs.paused(Generate.bytes(3, at), at)
        const putting = yield* Effect.forkChild(store.put(key, content.stream))
        yield* content.reached
        yield* Blobs.assertAbsent(key)
        yield* Fiber.interrupt(putting)
        yield* Blobs.assertAbsent(key)
      }),
    timeout
  )

  it.effect(
    "put: in progress → no blob; completed → the whole blob",
    () =>
      Effect.gen(function* () {
        const store = yield* BlobStore.BlobStore
        const key = Blobs.freshKey()
        const whole = Generate.bytes(4, 4 * Blobs.mebibyte)
        const content = yield* Blobs.paused(whole, 2 * Blobs.mebibyte)
        const putting = yield* Effect.forkChild(store.put(key, content.stream))
        yield* content.reached
        yield* Blobs.assertAbsent(key)
        yield* content.release
        yield* Fiber.join(putting)
        yield* Blobs.assertStored(key, whole)
      }),
    timeout
  )

  it.effect(
    "put: key of a failed put → stored",
    () =>
      Effect.gen(function* () {
        const store = yield* BlobStore.BlobStore
        const key = Blobs.freshKey()
        const content = Generate.bytes(5, 70_000)
        yield* Effect.flip(store.put(key, Stream.concat(Generate.stream(6, 90_000), Stream.fail("cut"))))
        yield* Blobs.put(key, content)
        yield* Blobs.assertStored(key, content)
      }),
    timeout
  )

  it.effect(
    "put: existing key → old blob until the put succeeds, then the new one",
    () =>
      Effect.gen(function* () {
        const store = yield* BlobStore.BlobStore
        const key = Blobs.freshKey()
        const first = Generate.bytes(7, 2 * Blobs.mebibyte)
        const second = Generate.bytes(8, 100_000)
        yield* Blobs.put(key, first)
        const content = yield* Blobs.paused(second, 50_000)
        const putting = yield* Effect.forkChild(store.put(key, content.stream))
        yield* content.reached
        yield* Blobs.assertStored(key, first)
        yield* content.release
        yield* Fiber.join(putting)
        yield* Blobs.assertStored(key, second)
      }),
    timeout
  )

  it.effect(
    "put: replacement fails → old blob unchanged",
    () =>
      Effect.gen(function* () {
        const store = yield* BlobStore.BlobStore
        const key = Blobs.freshKey()
        const first = Generate.bytes(9, 300_000)
        yield* Blobs.put(key, first)
        yield* Effect.flip(store.put(key, Stream.concat(Generate.stream(10, 400_000), Stream.fail("cut"))))
        yield* Blobs.assertStored(key, first)
      }),
    timeout
  )

  it.effect(
    "put: keys that differ in one part → separate blobs",
    () =>
      Effect.gen(function* () {
        const parts = { tenantId: Blobs.freshId("ten"), bucketId: Blobs.freshId("bkt"), blobId: Blobs.freshId("blb") }
        const keys = [
          BlobKey.make(parts),
          Blobs.freshKey({ bucketId: parts.bucketId, blobId: parts.blobId }),
          Blobs.freshKey({ tenantId: parts.tenantId, blobId: parts.blobId }),
          Blobs.freshKey({ tenantId: parts.tenantId, bucketId: parts.bucketId })
        ]
        const content = (index: number) => Generate.bytes(index, 1000 + index)
        yield* Effect.forEach(keys, (key, index) => Blobs.put(key, content(index)))
        yield* Effect.forEach(keys, (key, index) => Blobs.assertStored(key, content(index)))
      }),
    timeout
  )
}
