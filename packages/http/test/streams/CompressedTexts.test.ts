import { randomBytes } from "node:crypto"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import * as CompressedTexts from "../../src/transfer/response/CompressedTexts.ts"

/** A text that compression shortens by half at most. */
const text = (bytes: number): string => randomBytes(bytes / 2).toString("hex")

/** Requests a text, and returns whether it was compressed for this request. */
const isCompressed = async (cache: CompressedTexts.CompressedTexts, tag: string, content: string): Promise<boolean> => {
  let called = false
  const bytes = await cache.encode(tag, "br", () => {
    called = true
    return content
  })
  expect(brotliDecompressSync(bytes).toString()).toBe(content)
  return called
}

describe("CompressedTexts", () => {
  it("one tag, requested at once and again → compressed once for each coding", async () => {
    const cache = CompressedTexts.make(100_000)
    const content = text(2000)
    let calls = 0
    const of = () => {
      calls++
      return content
    }
    const found = await Promise.all([1, 2, 3].map(() => cache.encode("a", "br", of)))
    expect(new Set(found).size).toBe(1)
    const zipped = await cache.encode("a", "gzip", of)
    expect(gunzipSync(zipped).toString()).toBe(content)
    await cache.encode("a", "gzip", of)
    expect(calls).toBe(2)
  })

  it("more texts than the bound → keeps the latest requested, within the bound", async () => {
    const cache = CompressedTexts.make(20_000)
    const texts = Array.from({ length: 40 }, (_, index) => ({ tag: String(index), content: text(2000) }))
    const [first] = texts
    if (first === undefined) return expect.fail("there are texts")
    for (const { content, tag } of texts) {
      expect(await isCompressed(cache, tag, content)).toBe(true)
      // The first one is requested between all others, and therefore stays.
      expect(await isCompressed(cache, first.tag, first.content)).toBe(false)
    }
    let kept = 0
    for (const { content, tag } of texts.toReversed()) {
      if (await isCompressed(cache, tag, content)) break
      kept++
    }
    // Each takes its compressed bytes, about a thousand, and 512 bytes.
    expect(kept).toBeGreaterThanOrEqual(8)
    expect(kept * 1512).toBeLessThanOrEqual(20_000)
  })

  it("text that is larger than the bound → compressed for each request, others are kept afterwards", async () => {
    const cache = CompressedTexts.make(4000)
    const large = text(20_000)
    expect(await isCompressed(cache, "large", large)).toBe(true)
    expect(await isCompressed(cache, "large", large)).toBe(true)
    const small = text(1000)
    expect(await isCompressed(cache, "small", small)).toBe(true)
    expect(await isCompressed(cache, "small", small)).toBe(false)
  })

  it("text cannot be made → the next request tries again", async () => {
    const cache = CompressedTexts.make(4000)
    const fail = () => {
      throw new Error("no text")
    }
    expect(() => cache.encode("a", "br", fail)).toThrow("no text")
    expect(await isCompressed(cache, "a", text(100))).toBe(true)
  })
})
