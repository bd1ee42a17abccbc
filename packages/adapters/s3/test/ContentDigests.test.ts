import { assert, describe, it } from "@effect/vitest"
import * as Chunker from "@holdfast/core/storage/Chunker"
import * as ChunkedContents from "@holdfast/testing/data/ChunkedContents"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import * as ContentDigests from "../src/internal/uploads/ContentDigests.ts"

const partBytes = ChunkedContents.partBytes

/** Reads all parts of a content. */
const cut = (content: Stream.Stream<Uint8Array>, isEncrypted = true) =>
  Effect.gen(function* () {
    const hasher = ContentDigests.make(isEncrypted)
    const { next, size } = yield* Chunker.make(content, { partBytes, hasher })
    const buffer = Chunker.makeBuffer()
    const parts: Array<Chunker.Part<ContentDigests.PartDigests>> = []
    for (let part = yield* next(buffer); part !== undefined; part = yield* next(buffer)) {
      parts.push({ ...part, bytes: Buffer.from(part.bytes) })
    }
    return { parts, receipt: { size: size(), sha256: hasher.endContent() } }
  })

const md5 = (bytes: Uint8Array): string => createHash("md5").update(bytes).digest("base64")

describe("ContentDigests", () => {
  it.effect.each(ChunkedContents.cases)(
    "%i bytes in chunks of %j, TLS → MD5 of every part, SHA-256 of the content",
    ([size, sizes]) =>
      Effect.gen(function* () {
        const { parts, receipt } = yield* cut(Generate.stream(1, size, sizes))
        assert.deepStrictEqual(receipt, { size, sha256: Generate.sha256(Generate.bytes(1, size)) })
        for (const { bytes, digests } of parts) {
          assert.deepStrictEqual(digests, { md5: md5(bytes), sha256: undefined })
        }
      })
  )

  it.effect("no TLS → SHA-256 of every part, and MD5 of the first part alone", () =>
    Effect.gen(function* () {
      const { parts, receipt } = yield* cut(Generate.stream(3, 250_000), false)
      assert.strictEqual(parts.length, 3)
      for (const { bytes, digests, index } of parts) {
        assert.deepStrictEqual(digests, { md5: index === 0 ? md5(bytes) : undefined, sha256: Generate.sha256(bytes) })
      }
      assert.strictEqual(receipt.sha256, Generate.sha256(Generate.bytes(3, 250_000)))
    })
  )
})
