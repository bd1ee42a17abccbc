import { afterEach, describe, expect, it, vi } from "vitest"
import * as Base64UrlText from "../../src/secrets/internal/Base64UrlText.ts"

const bytes = Uint8Array.from({ length: 200 }, (_, index) => (index * 151) % 256)

describe("base64url of keys", () => {
  afterEach(() => void vi.unstubAllGlobals())

  it.each([
    ["Buffer", true],
    ["no Buffer", false]
  ])("two byte arrays of any length, runtime with %s → the text of both as one", (_, hasBuffer) => {
    if (!hasBuffer) vi.stubGlobal("Buffer", undefined)
    const encode = Base64UrlText.makeEncoder(bytes.length)
    const texts = Array.from({ length: bytes.length + 1 }, (_, end) =>
      encode(bytes.subarray(0, end >> 1), bytes.subarray(end >> 1, end))
    )
    vi.unstubAllGlobals()
    expect(texts).toEqual(
      Array.from({ length: bytes.length + 1 }, (_, end) => Buffer.from(bytes.subarray(0, end)).toString("base64url"))
    )
  })

  it("more bytes than the encoder was made for → RangeError", () => {
    const encode = Base64UrlText.makeEncoder(64)
    expect(() => encode(bytes.subarray(0, 60), bytes.subarray(0, 5))).toThrow(RangeError)
  })
})
