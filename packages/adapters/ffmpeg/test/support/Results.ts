/**
 * Inspects results with FFmpeg's own programs, independently of the adapter.
 */
import { readFileSync } from "node:fs"
import { concatenate } from "./Files.ts"
import * as Tools from "./Tools.ts"

interface Stream {
  readonly codec_type: string
  readonly codec_name: string
  readonly profile?: string
  readonly pix_fmt?: string
  readonly width?: number
  readonly height?: number
  readonly sample_aspect_ratio?: string
  readonly channels?: number
  readonly sample_rate?: string
  readonly field_order?: string
  readonly color_range?: string
  readonly color_space?: string
  readonly color_transfer?: string
  readonly color_primaries?: string
  readonly side_data_list?: ReadonlyArray<{ readonly rotation?: number }>
}

interface Report {
  readonly streams: ReadonlyArray<Stream>
  readonly packets?: ReadonlyArray<{ readonly codec_type: string; readonly pts_time?: string; readonly flags: string }>
}

const inspect = (path: string, ...args: ReadonlyArray<string>): Report => {
  const { stdout } = Tools.run(Tools.ffprobe, ["-v", "error", "-of", "json", "-show_streams", ...args, path])
  return JSON.parse(stdout) as Report
}

/** Returns the streams of a file or playlist. ffprobe lists those of a playlist of one rendition once. */
export const streams = (path: string): ReadonlyArray<Stream> => inspect(path).streams

export interface Frames {
  /** Presentation times in seconds, in ascending order. */
  readonly times: ReadonlyArray<number>
  /** Number of keyframes. */
  readonly keys: number
  /** Whether the first frame is a keyframe. */
  readonly startsWithKey: boolean
}

/** Returns the video frames of a file. */
export const frames = (path: string): Frames => {
  const packets = inspect(path, "-show_packets", "-select_streams", "v").packets ?? []
  return {
    times: packets.map(({ pts_time }) => Number(pts_time)).toSorted((a, b) => a - b),
    keys: packets.filter(({ flags }) => flags.startsWith("K")).length,
    startsWithKey: packets[0]?.flags.startsWith("K") === true
  }
}

/** Returns a hash of each frame of a track, decoded or as further options say. */
const hashes = (path: string, track: string, ...options: ReadonlyArray<string>): ReadonlyArray<string> =>
  Tools.run(Tools.ffmpeg, ["-nostdin", "-v", "error", "-i", path, "-map", track, ...options, "-f", "framemd5", "-"])
    .stdout.split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    // Side data comes behind the hash.
    .map((line) => line.split(",")[5]?.trim() ?? "")

/** Returns a hash of each decoded frame of the video. */
export const pictures = (path: string): ReadonlyArray<string> => hashes(path, "0:v")

/** Returns a hash of each packet of a track. */
export const packetHashes = (path: string, track: string): ReadonlyArray<string> => hashes(path, track, "-c", "copy")

type Rgb = readonly [red: number, green: number, blue: number]

/**
 * Returns the colours of pixels of the first picture of a file, converted by what the file says of them, or as a JPEG is read
 * (JFIF 1.02).
 */
export const pixels = (
  path: string,
  width: number,
  at: ReadonlyArray<readonly [x: number, y: number]>
): ReadonlyArray<Rgb> => {
  const input = path.endsWith(".jpg") ? ":in_color_matrix=bt601:in_range=full" : ""
  const scale = `scale=flags=accurate_rnd+full_chroma_int+full_chroma_inp${input},format=rgb24`
  const raw = `${path}.rgb`
  Tools.run(Tools.ffmpeg, [
    "-nostdin",
    "-v",
    "error",
    "-y",
    "-i",
    path,
    "-frames:v",
    "1",
    "-vf",
    scale,
    "-f",
    "rawvideo",
    raw
  ])
  const bytes = readFileSync(raw)
  return at.map(([x, y]) => {
    const offset = 3 * (y * width + x)
    return [bytes.readUInt8(offset), bytes.readUInt8(offset + 1), bytes.readUInt8(offset + 2)]
  })
}

/** Decodes each file separately. Throws if one is faulty. */
export const decode = (paths: ReadonlyArray<string>): void => {
  const inputs = paths.flatMap((path) => ["-i", path])
  const maps = paths.flatMap((_, index) => ["-map", String(index)])
  const { stderr } = Tools.run(Tools.ffmpeg, [
    "-nostdin",
    "-v",
    "error",
    "-xerror",
    ...inputs,
    ...maps,
    "-f",
    "null",
    "-"
  ])
  if (stderr !== "") throw new Error(`not decodable: ${stderr}`)
}

/** Decodes each media segment of a DASH presentation after its initialization segment. */
export const decodeDash = (directory: string, segments: ReadonlyArray<string>, scratch: string): void => {
  const chunks = segments.filter((name) => name.startsWith("chunk-"))
  decode(
    chunks.map((name) => {
      const path = `${scratch}/${name}.mp4`
      concatenate([`${directory}/init-${name.split("-")[1]}.m4s`, `${directory}/${name}`], path)
      return path
    })
  )
}
