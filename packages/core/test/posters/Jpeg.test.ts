import { expect, it } from "vitest"
import * as Jpeg from "../../src/posters/Jpeg.ts"

/** Makes the structure of a JPEG, without a picture. */
const make = (width: number, height: number, frame = 0xc0): Uint8Array =>
  Uint8Array.from(
    [
      [0xff, 0xd8],
      [0xff, 0xe0, 0, 4, 1, 2],
      [0xff, frame, 0, 11, 8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0],
      [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 7, 7],
      [0xff, 0xd9]
    ].flat()
  )

it("sizeOf: JPEG, also progressive → its size", () => {
  expect(Jpeg.sizeOf(make(1280, 720))).toEqual({ width: 1280, height: 720 })
  expect(Jpeg.sizeOf(make(8192, 1, 0xc2))).toEqual({ width: 8192, height: 1 })
})

it("sizeOf: other bytes, no or too large size, lossless, cut off anywhere → undefined", () => {
  expect(Jpeg.sizeOf(new Uint8Array())).toBeUndefined()
  expect(Jpeg.sizeOf(new TextEncoder().encode("\u0089PNG\r\n\u001a\n and more"))).toBeUndefined()
  for (const [width, height] of [
    [0, 720],
    [1280, 0],
    [8193, 720]
  ] as const) {
    expect(Jpeg.sizeOf(make(width, height))).toBeUndefined()
  }
  expect(Jpeg.sizeOf(make(1280, 720, 0xc3))).toBeUndefined()
  const whole = make(1280, 720)
  for (let length = 0; length < whole.length; length++) expect(Jpeg.sizeOf(whole.subarray(0, length))).toBeUndefined()
  // A segment that leads past the end, and one that leads nowhere.
  for (const size of [0xffff, 0, 1]) {
    const wrong = whole.slice()
    wrong.set([size >> 8, size & 255], 4)
    expect(Jpeg.sizeOf(wrong)).toBeUndefined()
  }
})
