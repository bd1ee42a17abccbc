import { assert, describe, it } from "@effect/vitest"
import * as Chunker from "@holdfast/core/storage/Chunker"
import * as ChunkedContents from "@holdfast/testing/data/ChunkedContents"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import * as ContentDigests from "../src/internal/uploads/ContentDigests.ts"

describe("ContentDigests", () => {
  it.effect.each(ChunkedContents.cases)("%i bytes in chunks of %j → SHA-256 and MD5 of the content", ([size, sizes]) =>
    Effect.gen(function* () {
      const hasher = ContentDigests.make()
      const source = Generate.stream(1, size, sizes)
      const { next } = yield* Chunker.make(source, { partBytes: ChunkedContents.partBytes, hasher })
      const buffer = Chunker.makeBuffer()
      while ((yield* next(buffer)) !== undefined);
      const content = Generate.bytes(1, size)
      assert.deepStrictEqual(hasher.endContent(), {
        sha256: Generate.sha256(content),
        md5: createHash("md5").update(content).digest("base64")
      })
    })
  )
})
