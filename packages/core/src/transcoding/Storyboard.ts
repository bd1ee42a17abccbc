/**
 * The storyboard of a video: small pictures at equal intervals, which a player shows above its seek bar. Several pictures form a sheet, a
 * JPEG; a WebVTT file says which part of which sheet shows which time (`#xywh`, W3C Media Fragments 1.0, section 4.2.2).
 */
import type { Presentation } from "./Presentation.ts"
import * as StreamFiles from "./StreamFiles.ts"

export interface Storyboard {
  /** Seconds from one picture to the next. */
  readonly interval: number
  /** Number of pictures. */
  readonly count: number
  /** Pixels of a picture. */
  readonly width: number
  readonly height: number
  /** Pictures of a sheet, side by side and one below the other. */
  readonly columns: number
  readonly rows: number
  /** Number of sheets. */
  readonly sheets: number
  /** Seconds of the video. */
  readonly duration: number
}

/** Pixels of the longer side of a picture. */
const maxSide = 160

const maxCount = 100

/** Seconds. Pictures at shorter intervals differ little. */
const minInterval = 2

/** Pictures side by side, and one below the other. */
const maxEdge = 5

const even = (value: number): number => Math.max(2, 2 * Math.round(value / 2))

/** Returns the storyboard of a finished presentation; undefined for audio alone. */
export const fromPresentation = ({
  duration,
  renditions: [{ height, width }]
}: Pick<Presentation, "duration" | "renditions">): Storyboard | undefined => {
  if (width === null || height === null || duration === null || duration <= 0) return undefined
  const scale = Math.min(1, maxSide / Math.max(width, height))
  const count = Math.min(maxCount, Math.max(1, Math.round(duration / minInterval)))
  const columns = Math.min(maxEdge, count)
  const rows = Math.min(maxEdge, Math.ceil(count / columns))
  return {
    interval: duration / count,
    count,
    width: even(width * scale),
    height: even(height * scale),
    columns,
    rows,
    sheets: Math.ceil(count / (columns * rows)),
    duration
  }
}

/** Returns the names of the sheets. */
export const sheetNames = ({ sheets }: Storyboard): ReadonlyArray<string> =>
  Array.from({ length: sheets }, (_, index) => StreamFiles.storyboardSheet(index))

const twoDigits = (value: number): string => String(value).padStart(2, "0")

const toTime = (seconds: number): string => {
  const millis = Math.round(1000 * seconds)
  const whole = Math.floor(millis / 1000)
  const clock = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60].map(twoDigits).join(":")
  return `${clock}.${String(millis % 1000).padStart(3, "0")}`
}

/** Returns the WebVTT file. */
export const toWebVtt = (storyboard: Storyboard): string => {
  const { columns, count, duration, height, interval, rows, width } = storyboard
  const cues = Array.from({ length: count }, (_, index) => {
    const sheet = Math.floor(index / (columns * rows))
    const place = index - sheet * columns * rows
    const [x, y] = [(place % columns) * width, Math.floor(place / columns) * height]
    const end = index + 1 === count ? duration : (index + 1) * interval
    const address = `${StreamFiles.storyboardSheet(sheet)}#xywh=${x},${y},${width},${height}`
    return `${toTime(index * interval)} --> ${toTime(end)}\n${address}`
  })
  return `WEBVTT\n\n${cues.join("\n\n")}\n`
}
