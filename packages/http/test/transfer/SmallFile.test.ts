import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as SmallFile from "../../src/transfer/local/SmallFile.ts"
import { until } from "./support/NodeApp.ts"
import { openCount, pattern, tempFile } from "./support/TempFiles.ts"

/** The two modes: synchronous, and over the thread pool, to which a first slow read switches. */
const readers: ReadonlyArray<readonly [string, () => Effect.Effect<SmallFile.Read>]> = [
  ["synchronous", () => Effect.succeed(SmallFile.makeReader({ maxSyncMillis: Infinity, pooledFactor: 0 }))],
  [
    "over the thread pool",
    () => {
      const read = SmallFile.makeReader({ maxSyncMillis: -1, pooledFactor: Infinity })
      return Effect.as(Effect.exit(read({ path: "/", size: 0 }, 0, Buffer.alloc(0))), read)
    }
  ]
]

describe.each(readers)("SmallFile.makeReader, %s", (_, make) => {
  it.effect("ranges of a file → their bytes, no open descriptors", () =>
    Effect.gen(function* () {
      const read = yield* make()
      const bytes = pattern(SmallFile.maxLength)
      const path = yield* tempFile(bytes)
      for (const [offset, length] of [
        [0, bytes.length],
        [0, 1],
        [100, 5000],
        [bytes.length - 1, 1],
        [0, 0]
      ] as const) {
        const into = Buffer.alloc(length)
        yield* read({ path, size: bytes.length }, offset, into)
        assert.isTrue(into.equals(bytes.subarray(offset, offset + length)))
      }
      yield* Effect.promise(() => until(() => openCount(path) === 0))
    })
  )

  it.effect.each([9, 11])("file of 10 bytes, %d in the record → ContentDamaged", (size) =>
    Effect.gen(function* () {
      const read = yield* make()
      const path = yield* tempFile(pattern(10))
      const error = yield* Effect.flip(read({ path, size }, 0, Buffer.alloc(5)))
      assert.strictEqual(error._tag, "ContentDamaged")
      yield* Effect.promise(() => until(() => openCount(path) === 0))
    })
  )

  it.effect("missing file → ContentGone, unreadable file → BlobError", () =>
    Effect.gen(function* () {
      const read = yield* make()
      assert.strictEqual(
        (yield* Effect.flip(read({ path: "/no/such/file", size: 1 }, 0, Buffer.alloc(1))))._tag,
        "ContentGone"
      )
      assert.strictEqual(
        (yield* Effect.flip(read({ path: "/", size: Fs.statSync("/").size }, 0, Buffer.alloc(1))))._tag,
        "BlobError"
      )
    })
  )

  it.effect("50 concurrent reads → each gets its bytes", () =>
    Effect.gen(function* () {
      const read = yield* make()
      const bytes = pattern(40_000)
      const path = yield* tempFile(bytes)
      yield* Effect.forEach(
        Array.from({ length: 50 }, (_, i) => i * 700),
        (offset) =>
          Effect.gen(function* () {
            const into = Buffer.alloc(700)
            yield* read({ path, size: bytes.length }, offset, into)
            assert.isTrue(into.equals(bytes.subarray(offset, offset + 700)))
          }),
        { concurrency: "unbounded" }
      )
      yield* Effect.promise(() => until(() => openCount(path) === 0))
    })
  )
})
