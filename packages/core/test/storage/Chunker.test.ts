import { assert, describe, it } from "@effect/vitest"
import * as Chunker from "@holdfast/core/storage/Chunker"
import * as ChunkedContents from "@holdfast/testing/data/ChunkedContents"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

const partBytes = ChunkedContents.partBytes

/** Records the bytes that it is given; the digest of a part is the number of those bytes. */
const recorder = () => {
  const seen: Array<Uint8Array> = []
  let count = 0
  return {
    seen,
    update: (bytes: Uint8Array) => {
      seen.push(bytes.slice())
      count += bytes.byteLength
    },
    endPart: () => {
      const digest = count
      count = 0
      return digest
    }
  }
}

describe("Chunker", () => {
  it.effect.each(ChunkedContents.cases)(
    "%i bytes in chunks of %j → parts of one size, the last one marked",
    ([size, sizes]) =>
      Effect.gen(function* () {
        const content = Generate.bytes(1, size)
        const chunks = Generate.stream(1, size, sizes)
        // Many chunks in one pull, and one chunk in each pull. Some chunks are empty.
        for (const together of [1000, 1]) {
          const hasher = recorder()
          const { next, size: sizeSoFar } = yield* Chunker.make(
            chunks.pipe(
              Stream.flatMap((chunk) => Stream.make(chunk, new Uint8Array(0))),
              Stream.rechunk(together)
            ),
            { partBytes, hasher }
          )
          const buffer = Chunker.makeBuffer()
          const parts: Array<Chunker.Part<number>> = []
          for (let part = yield* next(buffer); part !== undefined; part = yield* next(buffer)) {
            parts.push({ ...part, bytes: part.bytes.slice() })
          }
          assert.isUndefined(yield* next(buffer))
          assert.isTrue(Buffer.concat(parts.map(({ bytes }) => bytes)).equals(content))
          assert.isTrue(Buffer.concat(hasher.seen).equals(content))
          assert.strictEqual(sizeSoFar(), size)
          const count = Math.max(1, Math.ceil(size / partBytes))
          assert.deepStrictEqual(
            parts.map(({ index, isLast, offset }) => [index, offset, isLast]),
            Array.from({ length: count }, (_, index) => [index, index * partBytes, index === count - 1])
          )
          for (const { bytes } of parts.slice(0, -1)) assert.strictEqual(bytes.byteLength, partBytes)
          for (const { bytes, digests } of parts) assert.strictEqual(digests, bytes.byteLength)
          assert.isAtMost(buffer.memory.byteLength, partBytes)
        }
      })
  )

  it.effect.each([
    // As many as were expected: reserved with the first chunk.
    [5000, 5000, 5000],
    [70_000, 70_000, 70_000],
    [250_000, 250_000, partBytes],
    // More and fewer than were expected.
    [90_000, 10_000, 90_000],
    [100, 90_000, 90_000]
  ] as const)("%i bytes, %i expected → %i reserved for the first part", ([size, expected, reserved]) =>
    Effect.gen(function* () {
      const { next } = yield* Chunker.make(Generate.stream(1, size, [90]), {
        partBytes,
        hasher: recorder(),
        expectedBytes: expected
      })
      const buffer = Chunker.makeBuffer()
      let read = (yield* next(buffer))?.bytes.byteLength ?? 0
      assert.isAtLeast(buffer.memory.byteLength, Math.min(size, reserved))
      assert.isAtMost(buffer.memory.byteLength, partBytes)
      if (expected >= size) assert.strictEqual(buffer.memory.byteLength, reserved)
      for (let part = yield* next(buffer); part !== undefined; part = yield* next(buffer)) {
        read += part.bytes.byteLength
      }
      assert.strictEqual(read, size)
    })
  )

  it.effect("100 bytes of unknown size → at most 64 KiB reserved", () =>
    Effect.gen(function* () {
      const { next } = yield* Chunker.make(Generate.stream(2, 100), { partBytes, hasher: recorder() })
      const buffer = Chunker.makeBuffer()
      yield* next(buffer)
      assert.isAtMost(buffer.memory.byteLength, 64 * 1024)
    })
  )

  it.effect("content fails → its own error, after the parts before it", () =>
    Effect.gen(function* () {
      const content = Stream.concat(Generate.stream(1, 150_000), Stream.fail("cut"))
      const { next } = yield* Chunker.make(content, { partBytes, hasher: recorder() })
      const buffer = Chunker.makeBuffer()
      assert.strictEqual((yield* next(buffer))?.isLast, false)
      assert.strictEqual(yield* Effect.flip(next(buffer)), "cut")
    })
  )
})
