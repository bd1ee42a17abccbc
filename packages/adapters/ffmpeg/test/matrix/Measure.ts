/**
 * Measures a media file with FFmpeg: its frames, and when white pictures and tones begin.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Tools from "../support/Tools.ts"

export interface Measured {
  /** Times of the frames in seconds, in their order; empty if there is no video. */
  readonly frames: ReadonlyArray<number>
  /** When the middle of the picture turns white. */
  readonly whites: ReadonlyArray<number>
  /** When a tone begins; undefined if there is no audio. */
  readonly tones: ReadonlyArray<number> | undefined
  /** When the audio begins and ends. */
  readonly sound: readonly [start: number, end: number] | undefined
}

/** Samples per second of the audio as it is measured. */
const sampleRate = 8000

/** Edge of the picture as it is measured, in pixels. */
const edge = 4

/** Splits arguments at blanks. */
const words = (text: string): ReadonlyArray<string> => text.split(" ")

/** Reads times from the output of the muxer `framecrc`. */
const times = (path: string): ReadonlyArray<number> => {
  let base = 1
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, numerator, denominator] = /^#tb 0: (\d+)\/(\d+)/.exec(line) ?? []
      if (numerator !== undefined) base = Number(numerator) / Number(denominator)
      return line === "" || line.startsWith("#") ? [] : [Number(line.split(",")[2]) * base]
    })
}

/** Returns the indices at which a value rises above a threshold, after `quiet` values below it. */
const rises = (values: ReadonlyArray<number>, threshold: number, quiet: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  let last = -Infinity
  for (const [index, value] of values.entries()) {
    if (value < threshold) continue
    if (index - last > quiet && (index > 0 || quiet === 0)) found.push(index)
    last = index
  }
  return found
}

/** Decodes the first video and the first audio track. Throws with FFmpeg's message if something cannot be decoded and `strict`. */
export const measure = (
  path: string,
  { hasAudio, hasVideo, strict }: { readonly hasVideo: boolean; readonly hasAudio: boolean; readonly strict: boolean }
): Measured => {
  if (!hasVideo && !hasAudio) return { frames: [], whites: [], tones: undefined, sound: undefined }
  const directory = mkdtempSync(join(tmpdir(), "holdfast-measure-"))
  try {
    const file = (name: string) => join(directory, name)
    const middle = `crop=iw/6:ih/6,scale=${edge}:${edge},format=gray`
    const picture = [...words("-map 0:v:0 -fps_mode passthrough -enc_time_base 1:90000 -vf"), middle]
    const audio = ["-map", "0:a:0", "-ac", "1", "-ar", String(sampleRate), "-c:a", "pcm_s16le"]
    const { stderr } = Tools.run(Tools.ffmpeg, [
      ...words("-nostdin -v error -copyts"),
      ...(strict ? ["-xerror"] : []),
      "-i",
      path,
      ...(hasVideo
        ? [...picture, "-f", "framecrc", file("picture.txt"), ...picture, "-f", "rawvideo", file("picture.raw")]
        : []),
      ...(hasAudio ? [...audio, "-f", "framecrc", file("sound.txt"), ...audio, "-f", "s16le", file("sound.raw")] : [])
    ])
    if (strict && stderr !== "") throw new Error(`cannot be decoded: ${stderr.slice(0, 500)}`)
    const frames = hasVideo ? times(file("picture.txt")) : []
    const pixels = hasVideo ? readFileSync(file("picture.raw")) : Buffer.alloc(0)
    const luma = frames.map(
      (_, index) =>
        pixels.subarray(index * edge * edge, (index + 1) * edge * edge).reduce((sum, value) => sum + value, 0) /
        edge /
        edge
    )
    const whites = rises(luma, 150, 0).filter((index) => index === 0 || (luma[index - 1] ?? 0) < 150)
    if (!hasAudio)
      return { frames, whites: whites.map((index) => frames[index] ?? 0), tones: undefined, sound: undefined }
    const bytes = readFileSync(file("sound.raw"))
    const samples = Array.from({ length: bytes.length / 2 }, (_, index) => Math.abs(bytes.readInt16LE(2 * index)))
    const start = times(file("sound.txt"))[0] ?? Number.NaN
    const loudest = samples.reduce((most, value) => Math.max(most, value), 0)
    return {
      frames,
      whites: whites.map((index) => frames[index] ?? 0),
      tones: rises(samples, loudest / 4, sampleRate / 5).map((index) => start + index / sampleRate),
      sound: [start, start + samples.length / sampleRate]
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Decodes all tracks of a file. Throws with FFmpeg's message if something cannot be decoded. */
export const decode = (path: string): void => {
  const { stderr } = Tools.run(Tools.ffmpeg, [
    ...words("-nostdin -v error -xerror -i"),
    path,
    ...words("-map 0:v? -map 0:a? -f null -")
  ])
  if (stderr !== "") throw new Error(`cannot be decoded: ${stderr.slice(0, 500)}`)
}

/** Compares the frames of two files one by one. Returns the similarity of the pictures on average (SSIM), 1 at most. */
export const similarity = (source: string, result: string, [width, height]: readonly [number, number]): number => {
  const frame = (input: number, name: string) =>
    `[${input}:v:0]scale=${width}:${height}:flags=bicubic,format=yuv420p,setsar=1,settb=1/25,setpts=N[${name}]`
  const { stderr } = Tools.run(Tools.ffmpeg, [
    ...words("-nostdin -hide_banner -i"),
    source,
    "-i",
    result,
    "-filter_complex",
    `${frame(0, "a")};${frame(1, "b")};[a][b]ssim=shortest=1`,
    ...words("-fps_mode passthrough -an -f null -")
  ])
  return Number(/All:([\d.]+)/.exec(stderr)?.[1])
}
