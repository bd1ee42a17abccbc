import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import * as JsonText from "../../../src/transfer/request/JsonText.ts"

/** Bytes that `JsonText.decode` decodes at a time. */
const decodedAtOnce = 512 * 1024

/** Returns what one decoder makes of all bytes. */
const decodeWhole = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const decode = (bytes: Uint8Array): string | undefined => {
  const decoded = JsonText.decode(bytes)
  return "text" in decoded ? decoded.text : undefined
}

/** Bytes with something at the end of the first part, which ends `before` bytes after its beginning. */
const atBoundary = (middle: Uint8Array, before: number): Uint8Array =>
  Buffer.concat([Buffer.alloc(decodedAtOnce - before, "x"), middle, Buffer.from("y")])

describe("JsonText.decode", () => {
  it.each(["é", "€", "😀", "\ufeff", "a\u0301"])(
    "%j anywhere around the end of a part → the same text",
    (character) => {
      const bytes = Buffer.from(character)
      for (let before = 0; before <= bytes.length; before++) {
        const text = `${"x".repeat(decodedAtOnce - before)}${character}y`
        assert.isTrue(decode(atBoundary(bytes, before)) === text, `${before} bytes before`)
      }
    }
  )

  it("any bytes around the end of a part → as decoded in one piece, or refused", () => {
    const middles = FastCheck.uint8Array({ minLength: 1, maxLength: 12 })
    const utf8 = FastCheck.string({ unit: "binary", minLength: 1, maxLength: 4 }).map((text) => Buffer.from(text))
    const property = FastCheck.property(FastCheck.oneof(middles, utf8), FastCheck.nat(12), (middle, before) => {
      const bytes = atBoundary(middle, before)
      return decode(bytes) === decodeWhole(bytes)
    })
    FastCheck.assert(property, { numRuns: 60 })
  })

  it("byte order mark at the beginning → left out", () => {
    assert.strictEqual(decode(Buffer.from("\ufeff{}")), "{}")
  })

  it("no bytes → no text", () => {
    assert.deepStrictEqual(JsonText.decode(new Uint8Array(0)), { text: "", values: 0 })
  })

  it("text of 1 MiB → in the heap of V8, and no memory outside of it", () => {
    const bytes = Buffer.from(`{"name":"${"x".repeat(1024 * 1024 - 11)}"}`)
    const before = process.memoryUsage().external
    const texts = Array.from({ length: 8 }, () => decode(bytes))
    assert.isBelow(process.memoryUsage().external - before, bytes.length)
    assert.deepStrictEqual(new Set(texts.map((text) => text?.length)), new Set([bytes.length]))
  })
})
