import { assert, describe, it } from "@effect/vitest"
import * as BlobStoreContract from "../../src/storage/BlobStoreContract.ts"
import * as MemoryBlobStore from "../../src/storage/MemoryBlobStore.ts"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

BlobStoreContract.suite("MemoryBlobStore", MemoryBlobStore.layer, { boundedMemory: false })

describe("MemoryBlobStore", () => {
  it.effect("every method: text that is not a key → Internal", () =>
    Effect.gen(function* () {
      const store = yield* MemoryBlobStore.make
      const failures = yield* Effect.all([
        Effect.flip(store.put("../x", Stream.empty)),
        Effect.flip(Stream.runDrain(store.read("a/b/c"))),
        Effect.flip(store.stat("")),
        Effect.flip(store.remove("/"))
      ])
      assert.deepStrictEqual(
        failures.map(({ reason }) => reason),
        ["Internal", "Internal", "Internal", "Internal"]
      )
    })
  )
})
