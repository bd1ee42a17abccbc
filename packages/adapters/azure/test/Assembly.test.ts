import { assert, describe, it } from "@effect/vitest"
import * as ChunkedContents from "@holdfast/testing/data/ChunkedContents"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import * as Assembly from "../src/Assembly.ts"

const blockBytes = ChunkedContents.partBytes

/** All blocks, each put together in the same memory. */
const assemble = (content: Stream.Stream<Uint8Array>) =>
  Effect.gen(function* () {
    const assembly = yield* Assembly.make(content, blockBytes)
    const memory = Assembly.memory()
    const blocks: Array<Assembly.Block> = []
    for (let block = yield* assembly.next(memory); block !== undefined; block = yield* assembly.next(memory)) {
      blocks.push({ ...block, bytes: Buffer.from(block.bytes) })
    }
    assert.isUndefined(yield* assembly.next(memory))
    return { blocks, receipt: assembly.receipt(), reserved: memory.buffer.byteLength }
  })

describe("Assembly", () => {
  it.effect.each(ChunkedContents.cases)("cuts %i bytes that come in chunks of %j", ([size, sizes]) =>
    Effect.gen(function* () {
      const content = Generate.bytes(1, size)
      const chunked = Generate.stream(1, size, sizes)
      // Many chunks at once, and each by itself.
      for (const chunks of [chunked.pipe(Stream.rechunk(1000)), chunked.pipe(Stream.rechunk(1))]) {
        const { blocks, receipt, reserved } = yield* assemble(
          Stream.flatMap(chunks, (chunk) => Stream.make(chunk, new Uint8Array(0)))
        )
        assert.isTrue(Buffer.concat(blocks.map(({ bytes }) => bytes)).equals(content))
        assert.deepStrictEqual(receipt, { size, sha256: Generate.sha256(content) })
        const count = Math.max(1, Math.ceil(size / blockBytes))
        assert.deepStrictEqual(
          blocks.map(({ index }) => index),
          Array.from({ length: count }, (_, index) => index)
        )
        for (const { bytes, index, md5 } of blocks) {
          if (index < count - 1) assert.strictEqual(bytes.byteLength, blockBytes)
          assert.isTrue(createHash("md5").update(bytes).digest().equals(md5))
        }
        assert.isAtMost(reserved, blockBytes)
      }
    })
  )

  it.effect("reserves little for little", () =>
    Effect.gen(function* () {
      assert.isAtMost((yield* assemble(Generate.stream(2, 100))).reserved, 64 * 1024)
    })
  )
})
