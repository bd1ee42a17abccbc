/**
 * Small pictures of the video above the slider: WebVTT whose cues name parts of sheets (`#xywh`).
 */
import * as View from "../View.js"

/** @typedef {{ end: number, sheet: string, part: ReadonlyArray<number> }} Picture */

/** @param {string} time */
const toSeconds = (time) => time.split(":").reduce((sum, part) => 60 * sum + Number(part), 0)

/** Reads the cues, which have no gaps. @param {string} text @param {string} base @returns {ReadonlyArray<Picture>} */
const read = (text, base) =>
  [...text.matchAll(/^\S+ --> (\S+)\n(\S+)#xywh=([\d,]+)$/gm)].map(([, end = "", address = "", part = ""]) => ({
    end: toSeconds(end),
    sheet: new URL(address, base).href,
    part: part.split(",").map(Number)
  }))

/** @type {ReadonlyArray<Picture>} */
let pictures = []

/** When the storyboard may be requested again: it is made soon after the conversion. */
let due = 0

/** @param {string} address */
const load = async (address) => {
  if (pictures.length > 0 || performance.now() < due) return
  due = performance.now() + 10_000
  try {
    const response = await fetch(address)
    if (response.ok) pictures = read(await response.text(), response.url)
  } catch {
    // The slider works without pictures.
  }
}

/** Shows the picture of a time. @param {string | undefined} address @param {number} seconds */
export const show = async (address, seconds) => {
  if (address === undefined) return
  await load(address)
  const { thumbnail } = View.controls
  const found = pictures.find(({ end }) => seconds < end) ?? pictures.at(-1)
  thumbnail.hidden = found === undefined
  if (found === undefined) return
  const [left = 0, top = 0, width = 0, height = 0] = found.part
  const { style } = thumbnail
  style.width = `${width}px`
  style.height = `${height}px`
  style.background = `url("${found.sheet}") -${left}px -${top}px`
}
