/**
 * The tests of copies, for a store that has them.
 */
import { assert } from "@effect/vitest"
import * as BlobStore from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import * as Generate from "../../../data/Generate.ts"
import * as Blobs from "./Blobs.ts"
import type { Settings, Tester } from "./Settings.ts"

export const register = (it: Tester, { timeout }: Settings): void => {
  it.effect(
    "copy, where the store has it: blobs of 0 B to 3 MB → same bytes and receipt; each stays when the other is removed",
    () =>
      Effect.gen(function* () {
        const store = yield* BlobStore.BlobStore
        if (store.copy === undefined) return
        for (const size of [0, 5000, 3_000_000]) {
          const [from, to, last] = [Blobs.freshKey(), Blobs.freshKey(), Blobs.freshKey()]
          const content = Generate.bytes(40, size)
          const receipt = yield* Blobs.put(from, content)
          assert.deepStrictEqual(yield* store.copy(from, to), receipt)
          yield* Blobs.assertStored(to, content)
          yield* store.remove(from)
          yield* Blobs.assertStored(to, content)
          yield* store.copy(to, last)
          yield* store.remove(last)
          yield* Blobs.assertStored(to, content)
        }
      }),
    timeout
  )

  it.effect(
    "copy, where the store has it: key missing → NotFound, nothing under the other key",
    () =>
      Effect.gen(function* () {
        const store = yield* BlobStore.BlobStore
        if (store.copy === undefined) return
        const to = Blobs.freshKey()
        const error = yield* Effect.flip(store.copy(Blobs.freshKey(), to))
        assert.strictEqual(error.reason, "NotFound")
        yield* Blobs.assertAbsent(to)
      }),
    timeout
  )
}
