import { assert, describe, it } from "@effect/vitest"
import * as Chunker from "@holdfast/core/storage/Chunker"
import * as ChunkedContents from "@holdfast/testing/data/ChunkedContents"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import * as ContentDigests from "../src/internal/uploads/ContentDigests.ts"

const partBytes = ChunkedContents.partBytes

describe("ContentDigests", () => {
  it.effect.each(ChunkedContents.cases)(
    "%i bytes in chunks of %j → MD5 of every block, SHA-256 of the content",
    ([size, sizes]) =>
      Effect.gen(function* () {
        const hasher = ContentDigests.make()
        const { next } = yield* Chunker.make(Generate.stream(1, size, sizes), { partBytes, hasher })
        const buffer = Chunker.makeBuffer()
        let blocks = 0
        for (let part = yield* next(buffer); part !== undefined; part = yield* next(buffer)) {
          blocks++
          assert.isTrue(createHash("md5").update(part.bytes).digest().equals(part.digests))
        }
        assert.strictEqual(blocks, Math.max(1, Math.ceil(size / partBytes)))
        assert.strictEqual(hasher.endContent(), Generate.sha256(Generate.bytes(1, size)))
      })
  )
})
