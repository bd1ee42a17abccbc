/**
 * The encoding ladder: the sizes and bitrates in which a video is encoded.
 */
import type * as Arr from "effect/Array"
import type { Video } from "./Media.ts"

/** One encoding of the video. */
export interface Rung {
  /** Pixels, both even. */
  readonly width: number
  readonly height: number
  /** Bits per second; the upper limit for the encoder. */
  readonly maxBitrate: number
}

/** Pixels. */
export interface Size {
  readonly width: number
  readonly height: number
}

/** Pixels of the shorter side of the lower rungs. */
const lowerSides = [720, 480, 360]

/** Pixels of the longer side, at most. */
const maxLongerSide = 4096
const maxRungs = 3

/** A lower rung's shorter side is less than this fraction of the best one's. A larger rung would save too few bits. */
const spacing = 0.85

const even = (pixels: number): number => Math.max(2, 2 * Math.floor(pixels / 2))

/**
 * Returns the largest size of the picture's aspect ratio with two even sides, a shorter side of at most `maxShorterSide`
 * and a longer side of at most 4096 pixels. It is never larger than the picture, except for a side of a single pixel.
 */
export const fit = (picture: Size, maxShorterSide: number): Size => {
  const shorter = Math.min(picture.width, picture.height)
  const longer = Math.max(picture.width, picture.height)
  const side = even(Math.min(shorter, maxShorterSide, (shorter * maxLongerSide) / longer))
  const other = even(Math.min(2 * Math.round((longer * side) / shorter / 2), longer, maxLongerSide))
  return picture.width < picture.height ? { width: side, height: other } : { width: other, height: side }
}

/**
 * Returns 5 Mbit/s for 1080 lines at 30 frames per second. Smaller pictures need more bits per pixel, and higher frame rates
 * fewer bits per frame.
 */
const maxBitrate = ({ height, width }: Size, frameRate: number | null): number => {
  const size = ((width * height) / (1920 * 1080)) ** 0.75
  const speed = Math.max(1, (frameRate ?? 30) / 30) ** 0.5
  return Math.max(200, Math.round((5000 * size * speed) / 10) * 10) * 1000
}

/** Returns the rungs for a video, the best first; at least one. The shorter side of a rung has at most 1080 pixels. */
export const rungs = (video: Pick<Video, "width" | "height" | "frameRate">): Arr.NonEmptyReadonlyArray<Rung> => {
  const rung = (maxShorterSide: number): Rung => {
    const size = fit(video, maxShorterSide)
    return { ...size, maxBitrate: maxBitrate(size, video.frameRate) }
  }
  const best = rung(1080)
  const bestSide = Math.min(best.width, best.height)
  const lower = lowerSides.filter((side) => side < bestSide * spacing).slice(0, maxRungs - 1)
  return [best, ...lower.map(rung)]
}
