/**
 * The encoding ladder: the sizes and bitrates in which a video is encoded.
 */
import type * as Arr from "effect/Array"
import type { Video } from "./Media.ts"
import type { Presentation } from "./Presentation.ts"

/** The presets of the encoder (libx264) that a deployment may choose, fastest first. A slower one makes smaller files. */
export const presets = [
  "ultrafast",
  "superfast",
  "veryfast",
  "faster",
  "fast",
  "medium",
  "slow",
  "slower",
  "veryslow"
] as const

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

/** What a copy is, whose lower rungs are made behind it. */
export interface Copied extends Pick<Video, "frameRate" | "height" | "width"> {
  /** Bits per second. */
  readonly bitrate: number
}

/** Pixels of the shorter side of the lower rungs. */
const lowerSides = [1440, 1080, 720, 480, 360, 240]

/** Pixels of the shorter side of the best rung, unless the deployment permits more. */
const usualLines = 1080

/** Pixels of the longer side, at most. */
const maxLongerSide = 4096

/** A lower rung's shorter side is less than this fraction of the best one's. A larger rung would save too few bits. */
const spacing = 0.85

/** A lower rung's bitrate is less than this fraction of the one above it. */
const rateSpacing = 0.9

/** Bits per second. A picture of any size needs some. */
const minBitrate = 200_000

/** A rung's bitrate is a maximum, and the source's an average. */
const headroom = 1.5

/**
 * The least fraction of its usual bitrate that a rung keeps. A picture without motion has few bits on average, and many at each
 * keyframe: slides of 150 kbit/s, encoded with at most 1.5 times as many, lose 16 dB (SSIM).
 */
const minQuality = 0.3

/** Codecs that need about half of the bits of H.264. The others need as many as H.264, or more. */
const efficientCodecs = new Set(["hevc", "vp9", "av1"])

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
const bitrateOf = ({ height, width }: Size, frameRate: number | null): number => {
  const size = ((width * height) / (1920 * 1080)) ** 0.75
  const speed = Math.max(1, (frameRate ?? 30) / 30) ** 0.5
  return 5_000_000 * size * speed
}

/**
 * Returns the rungs for a video, the best first; at least one. The shorter side of a rung has at most `lines` pixels. A source of a low
 * bitrate lowers that of all rungs: more bits would show no more of it, beside its keyframes.
 */
export const rungs = (
  video: Pick<Video, "bitrate" | "codec" | "frameRate" | "height" | "width">,
  lines = usualLines
): Arr.NonEmptyReadonlyArray<Rung> => {
  const source = (video.bitrate ?? Infinity) * headroom * (efficientCodecs.has(video.codec) ? 2 : 1)
  const quality = Math.max(minQuality, Math.min(1, source / bitrateOf(fit(video, lines), video.frameRate)))
  const rung = (maxShorterSide: number): Rung => {
    const size = fit(video, maxShorterSide)
    const bitrate = bitrateOf(size, video.frameRate) * quality
    return { ...size, maxBitrate: Math.max(minBitrate, Math.round(bitrate / 10_000) * 10_000) }
  }
  const best = rung(lines)
  const bestSide = Math.min(best.width, best.height)
  const all: [Rung, ...Array<Rung>] = [best]
  let above = best
  for (const side of lowerSides) {
    const lower = rung(side)
    if (side >= bestSide * spacing || lower.maxBitrate >= above.maxBitrate * rateSpacing) continue
    all.push(lower)
    above = lower
  }
  return all
}

/** The bitrates of a ladder change by these factors at most. Samples may lack the scenes that need the most. */
const fitting = { least: 0.5, most: 1.6 }

/**
 * Returns rungs with the bitrates for a video whose best rung needs this many bits per second, where its pictures need the most. A rung
 * that would save too few bits is left out.
 */
export const fitTo = (
  usual: Arr.NonEmptyReadonlyArray<Rung>,
  bitrate: number,
  sourceBitrate: number | null
): Arr.NonEmptyReadonlyArray<Rung> => {
  const [best, ...lower] = usual
  const wanted = Math.min(bitrate * headroom, Math.max(best.maxBitrate, sourceBitrate ?? Infinity)) / best.maxBitrate
  const factor = Math.min(fitting.most, Math.max(fitting.least, wanted))
  const toRung = (rung: Rung): Rung => ({
    ...rung,
    maxBitrate: Math.max(minBitrate, Math.round((rung.maxBitrate * factor) / 10_000) * 10_000)
  })
  const all: [Rung, ...Array<Rung>] = [toRung(best)]
  for (const rung of lower.map(toRung)) {
    if (rung.maxBitrate < (all.at(-1)?.maxBitrate ?? Infinity) * rateSpacing) all.push(rung)
  }
  return all
}

/** Returns the rungs below an H.264 video that is copied, the best first: smaller than it, and of a lower bitrate. */
export const below = (copied: Copied, lines = usualLines): ReadonlyArray<Rung> => {
  const side = Math.min(copied.width, copied.height)
  return rungs({ ...copied, codec: "h264" }, lines).filter(
    ({ height, maxBitrate, width }) =>
      Math.min(width, height) < side * spacing && maxBitrate < copied.bitrate * rateSpacing
  )
}

/** The part of the greatest bitrate of H.264 that AV1 needs for the same pictures. */
const av1Part = 0.7

/** Returns the rungs of AV1 for a presentation of this video, the best first: one for each of its sizes. */
export const ofAv1 = (
  { renditions }: Presentation,
  video: Pick<Video, "bitrate" | "codec" | "frameRate" | "height" | "width">,
  lines: number = usualLines
): ReadonlyArray<Rung> => {
  const usual = rungs(video, lines)
  return renditions.flatMap(({ bitrate, height, width }) => {
    if (height === null || width === null) return []
    const same = usual.find((rung) => rung.height === height && rung.width === width)
    return [{ width, height, maxBitrate: Math.round(Math.max(bitrate, same?.maxBitrate ?? 0) * av1Part) }]
  })
}

/** Whether all sizes of the video of a shared presentation were encoded. */
export const isEncoded = ({ hasCopiedVideo, isPackaged, isShared }: Presentation): boolean =>
  isShared === true && isPackaged !== true && hasCopiedVideo !== true

/** Returns the rungs of the ladder below a copy, the best first; none for audio, and for video that was encoded in all of its sizes. */
export const belowCopy = (presentation: Presentation, lines: number = usualLines): ReadonlyArray<Rung> => {
  const [best, ...others] = presentation.renditions
  const { height, width } = best
  const isComplete = height === null || width === null || others.length > 0 || isEncoded(presentation)
  return isComplete ? [] : below({ ...best, height, width }, lines)
}
