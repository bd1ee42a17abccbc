import { assert, describe, it } from "@effect/vitest"
import * as MultipartByteRanges from "../../src/transfer/response/MultipartByteRanges.ts"

const content = Buffer.from("0123456789")

describe("MultipartByteRanges.frame", () => {
  it("two ranges → parts as in RFC 9110, section 14.6, and their total length", () => {
    const body = MultipartByteRanges.frame(
      [
        { start: 1, end: 2 },
        { start: 8, end: 9 }
      ],
      { size: 10, contentType: "text/plain; charset=é" },
      "b-_1"
    )
    const bytes = Buffer.concat(
      body.slices.map((slice) =>
        slice instanceof Uint8Array ? slice : content.subarray(slice.offset, slice.offset + slice.length)
      )
    )
    assert.strictEqual(
      bytes.toString("latin1"),
      "--b-_1\r\nContent-Type: text/plain; charset=é\r\nContent-Range: bytes 1-2/10\r\n\r\n12\r\n" +
        "--b-_1\r\nContent-Type: text/plain; charset=é\r\nContent-Range: bytes 8-9/10\r\n\r\n89\r\n--b-_1--\r\n"
    )
    assert.strictEqual(body.length, bytes.length)
    assert.strictEqual(body.contentType, "multipart/byteranges; boundary=b-_1")
  })
})
