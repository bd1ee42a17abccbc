/**
 * Inputs of the media matrix. The middle of the picture is white, and a tone sounds, for a fifth of a second from 0.5 s, 1.5 s, … on: so the
 * result shows by itself whether it begins, ends and is in sync as it should, whatever FFmpeg reads from the input.
 */
import type { Reason } from "@holdfast/core/transcoding/TranscodeError"
import type { Recipe } from "../support/Samples.ts"

/** What a conversion of an input has to do. */
export interface Expected {
  /** Pixels of the best rendition, upright; undefined if there is no video. */
  readonly size?: string | undefined
  readonly seconds: number
  /** The duration of HLS if it differs: its playlists have that of the pictures. */
  readonly hlsSeconds?: number | undefined
  readonly hasAudio: boolean
  /** Frames per second of the result, if not those of the input: then frames are not compared one by one. */
  readonly rate?: number | undefined
  /** Whether the pictures look like those of the input as FFmpeg decodes them. */
  readonly looksAlike: boolean
  /** Whether white pictures and tones come at their times, which takes some ten frames per second. */
  readonly hasMarks: boolean
  /** Whether each frame comes exactly at its time. Default: false. */
  readonly hasExactTimes?: boolean | undefined
  /** Seconds by which the marks are earlier than they were made, because the beginning was cut. */
  readonly earlier: number
  /** Seconds by which tones are later than white pictures. */
  readonly soundLater: number
  readonly captions: number
  /** The reasons of a refusal. A file that is damaged may also be converted: then the result has to play. */
  readonly refused: ReadonlyArray<Reason>
  readonly isDamaged: boolean
  /** Of H.265: "as uploaded" if it plays so beside the H.264, or why it does not. */
  readonly hevc?: string | undefined
}

export interface Input extends Recipe {
  readonly name: string
  readonly expected: Expected
}

export interface Picture {
  readonly size?: string
  readonly rate?: string
  readonly seconds?: number
  readonly pixels?: string
  /** Filters after the marks. */
  readonly filter?: string
}

const mark = "lt(mod(t+0.5\\,1)\\,0.2)"

export const defaultSeconds = 3

/** Arguments that make pictures with marks. */
export const picture = ({
  filter,
  pixels = "yuv420p",
  rate = "25",
  seconds = defaultSeconds,
  size = "192x108"
}: Picture = {}): string =>
  `-f lavfi -i testsrc2=s=${size}:r=${rate}:d=${seconds},${[
    "drawbox=x=iw/3:y=ih/3:w=iw/3:h=ih/3:color=black:t=fill",
    `drawbox=x=iw/3:y=ih/3:w=iw/3:h=ih/3:color=white:t=fill:enable='${mark}'`,
    ...(filter === undefined ? [] : [filter]),
    `format=${pixels}`
  ].join(",")}`

export interface Sound {
  readonly rate?: number
  readonly layout?: string
  readonly seconds?: number
}

const layouts: { readonly [name: string]: number } = { mono: 1, stereo: 2, "5.1": 6, "7.1": 8 }

/** Arguments that make sound with marks. */
export const sound = ({ layout = "stereo", rate = 48_000, seconds = defaultSeconds }: Sound = {}): string =>
  `-f lavfi -i aevalsrc=${Array(layouts[layout] ?? 1)
    .fill(`0.5*sin(2*PI*880*t)*${mark}`)
    .join("|")}:c=${layout}:s=${rate}:d=${seconds}`

const defaults: Expected = {
  size: "192x108",
  seconds: defaultSeconds,
  hasAudio: true,
  looksAlike: true,
  hasMarks: true,
  earlier: 0,
  soundLater: 0,
  captions: 0,
  refused: [],
  isDamaged: false
}

/** Splits at blanks, except in quotes, which FFmpeg reads itself. */
export const make = (
  name: string,
  options: string,
  expected: Partial<Expected> = {},
  edit?: (media: Buffer) => Buffer
): Input => ({
  name,
  arguments: options.trim().split(/ +/),
  expected: { ...defaults, ...expected },
  ...(edit === undefined ? {} : { edit })
})

export const h264 = "-c:v libx264 -preset ultrafast -g 25"
export const aac = "-c:a aac"
