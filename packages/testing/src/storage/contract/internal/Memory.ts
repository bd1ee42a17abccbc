/**
 * The test that memory does not grow with the blob.
 */
import { assert } from "@effect/vitest"
import * as BlobStore from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import * as Generate from "../../../data/Generate.ts"
import * as Blobs from "./Blobs.ts"
import type { Settings, Tester } from "./Settings.ts"

const chunkBytes = 64 * 1024

/** Measures how much the process's resident memory grows. */
const measureGrowth = () => {
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
  const name = `put and read: ${Math.round(largeBytes / Blobs.mebibyte)} MiB → memory stays bounded`
  test(
    boundedMemory ? name : `${name} [skipped: this store is in memory]`,
    () =>
      Effect.gen(function* () {
        const store = yield* BlobStore.BlobStore
        const key = Blobs.freshKey()
        // The source repeats one chunk, so that it produces no garbage itself.
        const chunk = Generate.bytes(50, chunkBytes)
        const count = Math.ceil(largeBytes / chunkBytes)
        const size = count * chunkBytes
        const expected = createHash("sha256")
        for (let turn = 0; turn < count; turn++) expected.update(chunk)
        const sha256 = expected.digest("hex")

        // Buffers of the store and garbage that is not collected yet: far less than the content.
        const bound = Math.max(64 * Blobs.mebibyte, size / 3)
        const putting = measureGrowth()
        const content = Stream.range(1, count).pipe(
          Stream.rechunk(1),
          Stream.map((turn) => {
            if (turn % 64 === 0) putting.sample()
            return chunk
          })
        )
        assert.deepStrictEqual(yield* store.put(key, content), { size, sha256 })
        assert.isBelow(putting.growth(), bound, "put")

        const reading = measureGrowth()
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
