/**
 * Tests of `read`.
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { gzipSync } from "node:zlib"
import * as Generate from "../../../data/Generate.ts"
import { assertSame } from "../../../storage/contract/internal/Blobs.ts"
import * as Objects from "../Objects.ts"
import type { Settings, Tester } from "./Settings.ts"

export const register = (it: Tester, { partBytes, timeout }: Settings): void => {
  it.effect.each([0, 1, 4096, 2 * partBytes + 17])(
    "read: object of %i bytes → its bytes",
    (size) =>
      Effect.gen(function* () {
        const fresh = yield* Objects.fresh
        const bytes = Generate.bytes(size + 1, size)
        yield* Objects.write(fresh, "folder/ä & b.bin", bytes)
        assertSame(Buffer.concat(yield* Stream.runCollect(fresh.target.read("folder/ä & b.bin"))), bytes)
      }),
    timeout
  )

  it.effect(
    "read: object with Content-Encoding gzip → its bytes as they are stored",
    () =>
      Effect.gen(function* () {
        const fresh = yield* Objects.fresh
        const bytes = gzipSync(Generate.bytes(5, 10_000))
        yield* Objects.write(fresh, "a.gz", bytes, { ...Objects.minimalDescription, contentEncoding: "gzip" })
        assertSame(Buffer.concat(yield* Stream.runCollect(fresh.target.read("a.gz"))), bytes)
      }),
    timeout
  )

  it.effect(
    "read: no such object → NotFound before the first chunk",
    () =>
      Effect.gen(function* () {
        const { target } = yield* Objects.fresh
        let chunks = 0
        const reading = Stream.runForEach(target.read("absent"), () => Effect.sync(() => chunks++))
        const error = yield* Effect.flip(reading)
        assert.deepStrictEqual([error.reason, error.operation, chunks], ["NotFound", "read", 0])
      }),
    timeout
  )
}
