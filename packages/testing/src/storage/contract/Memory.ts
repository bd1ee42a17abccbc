/**
 * Memory does not grow with the blob.
 */
import { assert } from "@effect/vitest"
import * as BlobStore from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import * as Generate from "../../data/Generate.ts"
import * as Blobs from "./Blobs.ts"
import type { Settings, Tester } from "./Settings.ts"

const chunkBytes = 64 * 1024

/** The process's resident bytes at their highest, above what they were at first. */
const peak = () => {
  const before = process.memoryUsage.rss()
  let highest = before
  return {
    sample: () => {
      highest = Math.max(highest, process.memoryUsage.rss())
    },
    growth: () => highest - before
  }
}

export const register = (it: Tester, { boundedMemory, largeBytes, largeTimeout }: Settings): void => {
  const test = boundedMemory ? it.effect : it.effect.skip
  const name = `takes and gives ${Math.round(largeBytes / Blobs.mebibyte)} MiB without holding them`
  test(
    boundedMemory ? name : `${name} [skipped: this store keeps contents in memory]`,
    () =>
      Effect.gen(function* () {
        const store = yield* BlobStore.BlobStore
        const key = Blobs.freshKey()
        // One chunk again and again, so that the source itself leaves no garbage.
        const chunk = Generate.bytes(50, chunkBytes)
        const count = Math.ceil(largeBytes / chunkBytes)
        const size = count * chunkBytes
        const expected = createHash("sha256")
        for (let turn = 0; turn < count; turn++) expected.update(chunk)
        const sha256 = expected.digest("hex")

        // What a store may hold that waits for no collection, and garbage that waits for one: far less than the content.
        const bound = Math.max(64 * Blobs.mebibyte, size / 3)
        const putting = peak()
        const content = Stream.range(1, count).pipe(
          Stream.rechunk(1),
          Stream.map((turn) => {
            if (turn % 64 === 0) putting.sample()
            return chunk
          })
        )
        assert.deepStrictEqual(yield* store.put(key, content), { size, sha256 })
        assert.isBelow(putting.growth(), bound, "put")

        const reading = peak()
        const actual = createHash("sha256")
        yield* Stream.runForEach(store.read(key), (bytes) =>
          Effect.sync(() => {
            actual.update(bytes)
            reading.sample()
          })
        )
        assert.strictEqual(actual.digest("hex"), sha256)
        assert.isBelow(reading.growth(), bound, "read")
        yield* store.remove(key)
      }),
    largeTimeout
  )
}
