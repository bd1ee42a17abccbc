/**
 * Prefixes, objects of other programs, and long listings.
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as BlobKeys from "../../../data/BlobKeys.ts"
import * as Generate from "../../../data/Generate.ts"
import * as RemoteStores from "../RemoteStores.ts"
import type { Settings, Tester } from "./Settings.ts"

const key = BlobKeys.key(0)

/** Registers these tests of the suite. */
export const register = (it: Tester, { timeout }: Settings): void => {
  it.effect(
    "prefix: blobs are stored below it, and foreign objects are not listed",
    () =>
      Effect.gen(function* () {
        const { hasObject, open, putForeignObject, store } = yield* RemoteStores.fresh
        const prefix = "files/of holdfast+(1)/"
        const inner = yield* open({ prefix })
        yield* inner.put(key, Generate.stream(6, 10))
        assert.isTrue(yield* hasObject(prefix + key))
        yield* putForeignObject(prefix)
        assert.deepStrictEqual(yield* Stream.runCollect(inner.list("")), [{ key, size: 10 }])
        assert.deepStrictEqual(yield* Stream.runCollect(store.list("")), [])
        assert.strictEqual((yield* Effect.flip(store.stat(key))).reason, "NotFound")
        yield* store.remove(key)
        assert.deepStrictEqual(yield* inner.stat(key), { size: 10 })
      }),
    timeout
  )

  it.effect(
    "list: more blobs than one page has → all of them",
    () =>
      Effect.gen(function* () {
        const { store } = yield* RemoteStores.fresh
        const keys = Array.from({ length: 1005 }, (_, index) => BlobKeys.key(index))
        yield* Effect.forEach(keys, (key) => store.put(key, Stream.empty), { concurrency: 32, discard: true })
        const listed = yield* Stream.runCollect(store.list(""))
        assert.deepStrictEqual(listed.map(({ key }) => key).toSorted(), keys.toSorted())
      }),
    timeout
  )
}
