import { assert, describe, it } from "@effect/vitest"
import * as ChunkedContents from "@holdfast/testing/data/ChunkedContents"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import * as Assembly from "../src/Assembly.ts"

const pieceBytes = ChunkedContents.partBytes

/** All pieces, each put together in the same memory. */
const assemble = (content: Stream.Stream<Uint8Array>) =>
  Effect.gen(function* () {
    const assembly = yield* Assembly.make(content, pieceBytes)
    const memory = Assembly.memory()
    const pieces: Array<Assembly.Piece> = []
    do {
      const piece = yield* assembly.next(memory)
      pieces.push({ ...piece, bytes: Buffer.from(piece.bytes) })
    } while (pieces.at(-1)?.isLast === false)
    return { pieces, digests: assembly.digests(), reserved: memory.buffer.byteLength }
  })

describe("Assembly", () => {
  it.effect.each(ChunkedContents.cases)(
    "cuts %i bytes that come in chunks of %j, and knows the last piece",
    ([size, sizes]) =>
      Effect.gen(function* () {
        const content = Generate.bytes(1, size)
        const chunks = Stream.flatMap(Generate.stream(1, size, sizes), (chunk) => Stream.make(chunk, new Uint8Array(0)))
        const { digests, pieces, reserved } = yield* assemble(chunks)
        assert.isTrue(Buffer.concat(pieces.map(({ bytes }) => bytes)).equals(content))
        const md5 = createHash("md5").update(content).digest("base64")
        assert.deepStrictEqual(digests, { size, sha256: Generate.sha256(content), md5 })
        const count = Math.max(1, Math.ceil(size / pieceBytes))
        assert.deepStrictEqual(
          pieces.map(({ isLast, offset }) => [offset, isLast]),
          Array.from({ length: count }, (_, index) => [index * pieceBytes, index === count - 1])
        )
        for (const { bytes } of pieces.slice(0, -1)) assert.strictEqual(bytes.byteLength, pieceBytes)
        assert.isAtMost(reserved, pieceBytes)
      })
  )

  it.effect("reserves little for little", () =>
    Effect.gen(function* () {
      assert.isAtMost((yield* assemble(Generate.stream(2, 100))).reserved, 64 * 1024)
    })
  )
})
