/**
 * Contents that a browser displays, and whether it did.
 */
import type * as Browser from "@holdfast/testing/Browser"
import { crc32, deflateSync } from "node:zlib"

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof Browser.launch>>["newPage"]>>

const pdf = (): Uint8Array<ArrayBuffer> => {
  const drawing = "1 0 0 rg 0 0 300 300 re f"
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R>>",
    `<</Length ${drawing.length}>>stream\n${drawing}\nendstream`
  ]
  let text = "%PDF-1.4\n"
  const offsets = objects.map((object, index) => {
    const offset = text.length
    text += `${index + 1} 0 obj${object}endobj\n`
    return offset
  })
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("")
  text += `xref\n0 5\n0000000000 65535 f \n${table}trailer<</Size 5/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF`
  return new Uint8Array(Buffer.from(text))
}

const chunk = (type: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const frame = Buffer.alloc(body.length + 8)
  frame.writeUInt32BE(data.length, 0)
  body.copy(frame, 4)
  frame.writeUInt32BE(crc32(body), body.length + 4)
  return frame
}

const size = 300

/** A red square. */
const png = (): Uint8Array<ArrayBuffer> => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  // Eight bits per channel, RGB.
  header.set([8, 2], 8)
  const row = Buffer.concat([Buffer.from([0]), Buffer.from(Array.from({ length: size }, () => [255, 0, 0]).flat())])
  const pixels = deflateSync(Buffer.concat(Array.from({ length: size }, () => row)))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const chunks = [chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", new Uint8Array())]
  return new Uint8Array(Buffer.concat([signature, ...chunks]))
}

/** By file name. */
export const all: { readonly [name: string]: string | Uint8Array<ArrayBuffer> } = {
  "a.txt": "plain text",
  "a.png": png(),
  "a.pdf": pdf()
}

/** The function that runs in a page: returns the number of red pixels of an image. */
const countRed = `async (data) => {
  const image = new Image()
  image.src = "data:image/png;base64," + data
  await image.decode()
  const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d")
  canvas.drawImage(image, 0, 0)
  const { data: pixels } = canvas.getImageData(0, 0, image.width, image.height)
  let count = 0
  for (let i = 0; i < pixels.length; i += 4) if (pixels[i] > 240 && pixels[i + 1] < 20 && pixels[i + 2] < 20) count++
  return count
}`

/** Returns the number of red pixels that `shown` has on the screen. `blank` is an empty page. */
export const redPixels = async (blank: Page, shown: Page): Promise<number> => {
  const picture = (await shown.screenshot()).toString("base64")
  return blank.evaluate<number>(`(${countRed})(${JSON.stringify(picture)})`)
}
