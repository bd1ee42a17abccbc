import { assert, describe, it } from "@effect/vitest"
import * as MultipartByteRanges from "@holdfast/http/transfer/response/MultipartByteRanges"

const content = Buffer.from("0123456789")

describe("MultipartRanges", () => {
  it("frames ranges as the RFC's example does, and knows the length before", () => {
    const framed = MultipartByteRanges.frame(
      [
        { start: 1, end: 2 },
        { start: 8, end: 9 }
      ],
      { size: 10, contentType: "text/plain; charset=é" },
      "b-_1"
    )
    const bytes = Buffer.concat(
      framed.slices.map((piece) =>
        piece instanceof Uint8Array ? piece : content.subarray(piece.offset, piece.offset + piece.length)
      )
    )
    assert.strictEqual(
      bytes.toString("latin1"),
      "--b-_1\r\nContent-Type: text/plain; charset=é\r\nContent-Range: bytes 1-2/10\r\n\r\n12\r\n" +
        "--b-_1\r\nContent-Type: text/plain; charset=é\r\nContent-Range: bytes 8-9/10\r\n\r\n89\r\n--b-_1--\r\n"
    )
    assert.strictEqual(framed.length, bytes.length)
    assert.strictEqual(framed.contentType, "multipart/byteranges; boundary=b-_1")
  })
})
