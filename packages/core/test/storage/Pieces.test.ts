import { assert, describe, it } from "@effect/vitest"
import * as Chunker from "@holdfast/core/storage/Chunker"
import * as ChunkedContents from "@holdfast/testing/data/ChunkedContents"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

const pieceBytes = ChunkedContents.partBytes

describe("Pieces", () => {
  it.effect.each(ChunkedContents.cases)(
    "cuts %i bytes that come in chunks of %j, and knows the last piece",
    ([size, sizes]) =>
      Effect.gen(function* () {
        const content = Generate.bytes(1, size)
        const chunks = Generate.stream(1, size, sizes)
        // Many chunks at once, and each by itself; some are empty.
        for (const together of [1000, 1]) {
          const seen: Array<Uint8Array> = []
          const next = yield* Chunker.make(
            chunks.pipe(
              Stream.flatMap((chunk) => Stream.make(chunk, new Uint8Array(0))),
              Stream.rechunk(together)
            ),
            pieceBytes,
            (bytes) => void seen.push(bytes.slice())
          )
          const memory = Chunker.memory()
          const pieces: Array<Chunker.Piece> = []
          for (let piece = yield* next(memory); piece !== undefined; piece = yield* next(memory)) {
            pieces.push({ ...piece, bytes: piece.bytes.slice() })
          }
          assert.isUndefined(yield* next(memory))
          assert.isTrue(Buffer.concat(pieces.map(({ bytes }) => bytes)).equals(content))
          assert.isTrue(Buffer.concat(seen).equals(content))
          const count = Math.max(1, Math.ceil(size / pieceBytes))
          assert.deepStrictEqual(
            pieces.map(({ index, isLast, offset }) => [index, offset, isLast]),
            Array.from({ length: count }, (_, index) => [index, index * pieceBytes, index === count - 1])
          )
          for (const { bytes } of pieces.slice(0, -1)) assert.strictEqual(bytes.byteLength, pieceBytes)
          assert.isAtMost(memory.buffer.byteLength, pieceBytes)
        }
      })
  )

  it.effect.each([
    // As much as was expected, from the first chunk on.
    [5000, 5000, 5000],
    [70_000, 70_000, 70_000],
    [250_000, 250_000, pieceBytes],
    // More, and less.
    [90_000, 10_000, 90_000],
    [100, 90_000, 90_000]
  ] as const)("reserves for %i bytes, of which %i were expected, %i", ([size, expected, reserved]) =>
    Effect.gen(function* () {
      const next = yield* Chunker.make(Generate.stream(1, size, [90]), pieceBytes, () => {}, expected)
      const memory = Chunker.memory()
      let read = (yield* next(memory))?.bytes.byteLength ?? 0
      assert.isAtLeast(memory.buffer.byteLength, Math.min(size, reserved))
      assert.isAtMost(memory.buffer.byteLength, pieceBytes)
      if (expected >= size) assert.strictEqual(memory.buffer.byteLength, reserved)
      for (let piece = yield* next(memory); piece !== undefined; piece = yield* next(memory)) {
        read += piece.bytes.byteLength
      }
      assert.strictEqual(read, size)
    })
  )

  it.effect("ends with the content's own error", () =>
    Effect.gen(function* () {
      const content = Stream.concat(Generate.stream(1, 150_000), Stream.fail("cut"))
      const next = yield* Chunker.make(content, pieceBytes, () => {})
      const memory = Chunker.memory()
      assert.strictEqual((yield* next(memory))?.isLast, false)
      assert.strictEqual(yield* Effect.flip(next(memory)), "cut")
    })
  )
})
