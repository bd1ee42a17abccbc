/**
 * Tests that memory does not grow with the size of an object.
 */
import { assert } from "@effect/vitest"
import { isUnchanged } from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import * as Generate from "../../../data/Generate.ts"
import { mebibyte } from "../../../storage/contract/internal/Blobs.ts"
import * as Objects from "../Objects.ts"
import type { Settings, Tester } from "./Settings.ts"

const chunkBytes = 64 * 1024

export const register = (it: Tester, { boundedMemory, largeBytes, largeTimeout }: Settings): void => {
  const test = boundedMemory ? it.effect : it.effect.skip
  const name = `write: ${Math.round(largeBytes / mebibyte)} MiB → memory stays bounded`
  test(
    boundedMemory ? name : `${name} [skipped: this target keeps objects in memory]`,
    () =>
      Effect.gen(function* () {
        const { target } = yield* Objects.fresh
        // The same chunk repeatedly, so that the source itself creates no garbage.
        const chunk = Generate.bytes(1, chunkBytes)
        const count = Math.ceil(largeBytes / chunkBytes)
        const size = count * chunkBytes
        const hash = createHash("sha256")
        for (let turn = 0; turn < count; turn++) hash.update(chunk)
        const before = process.memoryUsage.rss()
        let highest = before
        const source = Stream.range(1, count).pipe(
          Stream.rechunk(1),
          Stream.map((turn) => {
            if (turn % 64 === 0) highest = Math.max(highest, process.memoryUsage.rss())
            return chunk
          })
        )
        const object = { ...Objects.object("large", chunk), size, sha256: hash.digest("hex") }
        const receipt = yield* target.write(object, source)
        // Room for the buffers of an adapter, and for garbage that is not collected yet: far less than the content.
        assert.isBelow(highest - before, Math.max(64 * mebibyte, size / 3))
        const found = Option.getOrThrow(yield* target.stat("large"))
        assert.strictEqual(found.size, size)
        assert.isTrue(isUnchanged(receipt, found))
        yield* target.remove("large")
      }),
    largeTimeout
  )
}
