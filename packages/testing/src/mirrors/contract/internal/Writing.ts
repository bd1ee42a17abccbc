/**
 * Tests of `write`.
 */
import { assert } from "@effect/vitest"
import { isUnchanged } from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Generate from "../../../data/Generate.ts"
import * as Objects from "../Objects.ts"
import type { Settings, Tester } from "./Settings.ts"

export const register = (it: Tester, { partBytes, timeout }: Settings): void => {
  it.effect.each([0, 1, 4096, 300_001, partBytes - 1, partBytes, partBytes + 1, 2 * partBytes + 17])(
    "write: %i bytes → the object has these bytes, and is unchanged since the receipt",
    (size) =>
      Effect.gen(function* () {
        const fresh = yield* Objects.fresh
        const bytes = Generate.bytes(size, size)
        const receipt = yield* Objects.write(fresh, "folder/file.bin", bytes)
        assert.isTrue(isUnchanged(receipt, yield* Objects.assertObject(fresh, "folder/file.bin", bytes)))
        assert.notStrictEqual(receipt.tag, "")
      }),
    timeout
  )

  it.effect(
    "write: chunks of every size, also empty ones → the object has all bytes",
    () =>
      Effect.gen(function* () {
        const fresh = yield* Objects.fresh
        const bytes = Generate.bytes(1, 2 * partBytes + 1000)
        const none = new Uint8Array(0)
        const chunks = [
          none,
          bytes.subarray(0, 1),
          none,
          bytes.subarray(1, partBytes + 3),
          bytes.subarray(partBytes + 3)
        ]
        yield* fresh.target.write(Objects.object("a", bytes), Stream.fromArray(chunks))
        yield* Objects.assertObject(fresh, "a", bytes)
      }),
    timeout
  )

  it.effect.each([100, partBytes - 1, 3 * partBytes + 5])(
    "write: %i bytes, source reuses the memory of each chunk → the object has the right bytes",
    (size) =>
      Effect.gen(function* () {
        const fresh = yield* Objects.fresh
        const bytes = Generate.bytes(4, size)
        const content = Generate.transient(Generate.stream(4, size, [10, 300_000]))
        yield* fresh.target.write(Objects.object("a", bytes), content)
        yield* Objects.assertObject(fresh, "a", bytes)
      }),
    timeout
  )

  it.effect(
    "write: object exists → bytes and description replaced, another tag",
    () =>
      Effect.gen(function* () {
        const fresh = yield* Objects.fresh
        const former = { ...Objects.minimalDescription, cacheControl: "no-store", metadata: { former: "yes" } }
        const later = { ...Objects.minimalDescription, contentType: "text/plain", metadata: { later: "yes" } }
        const sizes = [partBytes + 1, 1000, 0, 2000]
        const tags = new Set<string>()
        for (const [index, size] of sizes.entries()) {
          const bytes = Generate.bytes(index, size)
          const description = index % 2 === 0 ? former : later
          tags.add((yield* Objects.write(fresh, "a/b.txt", bytes, description)).tag)
          yield* Objects.assertObject(fresh, "a/b.txt", bytes, description)
        }
        assert.strictEqual(tags.size, sizes.length)
      }),
    timeout
  )

  it.effect(
    "write: other bytes of the same size → another tag",
    () =>
      Effect.gen(function* () {
        const fresh = yield* Objects.fresh
        const first = yield* Objects.write(fresh, "a", Generate.bytes(1, 100))
        const second = yield* Objects.write(fresh, "a", Generate.bytes(2, 100))
        assert.notStrictEqual(first.tag, second.tag)
      }),
    timeout
  )

  it.effect(
    "write: 24 objects concurrently → each has its own bytes",
    () =>
      Effect.gen(function* () {
        const fresh = yield* Objects.fresh
        const objects = Array.from({ length: 24 }, (_, index) => ({
          name: `many/${index}`,
          bytes: Generate.bytes(index, index * 9973)
        }))
        yield* Effect.forEach(objects, ({ bytes, name }) => Objects.write(fresh, name, bytes), {
          concurrency: "unbounded"
        })
        yield* Effect.forEach(objects, ({ bytes, name }) => Objects.assertObject(fresh, name, bytes), {
          concurrency: 8
        })
      }),
    timeout
  )
}
