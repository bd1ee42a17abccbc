/**
 * The sizes and rates in which a video is encoded.
 */
import type * as Arr from "effect/Array"
import type { Video } from "./Media.ts"

/** One encoding of the picture. */
export interface Rung {
  /** Pixels, both even. */
  readonly width: number
  readonly height: number
  /** What the encoder stays below, in bits a second. */
  readonly maxBitrate: number
}

/** Of a picture. */
export interface Size {
  readonly width: number
  readonly height: number
}

/** Lengths of the shorter side below the best rendition's. */
const steps = [720, 480, 360]

const longest = 4096
const mostRungs = 3

/** A rung must be clearly smaller than the one above it to be worth its bytes. */
const spacing = 0.85

const even = (pixels: number): number => Math.max(2, 2 * Math.floor(pixels / 2))

/**
 * The largest even size of the picture's shape whose shorter side is at most `short`, and whose longer side is at most
 * 4096; never larger than the picture, but for one that is a single pixel wide or high.
 */
export const fit = (picture: Size, short: number): Size => {
  const shorter = Math.min(picture.width, picture.height)
  const longer = Math.max(picture.width, picture.height)
  const side = even(Math.min(shorter, short, (shorter * longest) / longer))
  const other = even(Math.min(2 * Math.round((longer * side) / shorter / 2), longer, longest))
  return picture.width < picture.height ? { width: side, height: other } : { width: other, height: side }
}

/** 5 Mbit/s for 1080 lines; smaller pictures need more bits for each pixel, faster ones fewer for each frame. */
const maxBitrate = ({ height, width }: Size, frameRate: number | null): number => {
  const size = ((width * height) / (1920 * 1080)) ** 0.75
  const speed = Math.max(1, (frameRate ?? 30) / 30) ** 0.5
  return Math.max(200, Math.round((5000 * size * speed) / 10) * 10) * 1000
}

/** The rungs for a video, from the best down; at least one. No rung has more than 1080 pixels on its shorter side. */
export const rungs = (video: Pick<Video, "width" | "height" | "frameRate">): Arr.NonEmptyReadonlyArray<Rung> => {
  const rung = (short: number): Rung => {
    const size = fit(video, short)
    return { ...size, maxBitrate: maxBitrate(size, video.frameRate) }
  }
  const best = rung(1080)
  const top = Math.min(best.width, best.height)
  const lower = steps.filter((step) => step < top * spacing).slice(0, mostRungs - 1)
  return [best, ...lower.map(rung)]
}
