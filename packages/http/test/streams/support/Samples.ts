/**
 * Small videos, valid and invalid, which ffmpeg makes when a test needs them.
 */
import * as Requires from "@holdfast/testing/Requires"
import * as SharedFiles from "@holdfast/testing/SharedFiles"
import * as EditMedia from "@holdfast/testing/transcoding/EditMedia"
import { execFile } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { promisify } from "node:util"

export const missing = Requires.firstMissing(
  Requires.command("ffmpeg", "-version"),
  Requires.command("ffprobe", "-version")
)

/** Runs a program without blocking. Returns its standard output. */
export const run = async (program: string, ...args: ReadonlyArray<string>): Promise<string> =>
  (await promisify(execFile)(program, args)).stdout

/** Duration of the videos, unless a recipe has another one. */
export const seconds = 2

const picture = (size = "128x72", duration = seconds) => `-f lavfi -i testsrc2=s=${size}:r=12:d=${duration}`
const sine = (duration: number) => `-f lavfi -i sine=f=440:r=48000:d=${duration}`
const sound = sine(seconds)
const h264 = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 12"
const hevc = "-c:v libx265 -preset ultrafast -x265-params log-level=none"
const vp9 = "-c:v libvpx-vp9 -deadline realtime -cpu-used 8"
const uneven = "-vf select='not(mod(n\\,3))+lt(n\\,12)' -fps_mode vfr"

/** Length of the gap in `gap.mkv`. */
export const gapSeconds = 8000

/** ffmpeg's options by file name. */
const recipes = {
  /** The index is at the end of the file. */
  "h264.mp4": `${picture()} ${sound} ${h264} -c:a aac`,
  "vp9.webm": `${picture()} ${sound} ${vp9} -c:a libopus`,
  "hevc.mkv": `${picture()} ${sound} ${hevc} -c:a ac3`,
  "mpeg4.avi": `${picture()} ${sound} -c:v mpeg4 -c:a libmp3lame`,
  "turned.mov": `${picture()} ${sound} ${h264} -c:a aac`,
  "wmv.wmv": `${picture()} ${sound} -c:v wmv2 -c:a wmav2`,
  "flv.flv": `${picture()} ${sound} -c:v flv -ar 44100 -c:a libmp3lame`,
  "odd.webm": `${picture("853x479")} ${vp9} -pix_fmt yuv420p`,
  "uneven.mkv": `${picture()} ${uneven} -c:v mpeg4`,
  "tenbit.mp4": `${picture()} ${hevc} -pix_fmt yuv420p10le`,
  "silent.mp4": `${picture()} ${h264}`,
  "portrait.mkv": `${picture("72x128")} ${sound} -c:v mpeg4 -c:a aac`,
  "sound.m4a": `${sound} -c:a aac`,
  "one-frame.mp4": `${picture()} -frames:v 1 ${h264}`,
  "short.mp4": `${picture()} ${sound} ${h264} -c:a aac`,
  "mp3.mp4": `${picture()} ${sound} ${h264} -c:a libmp3lame`,
  "long.mp4": `${picture("128x72", 3)} ${sine(3)} ${h264} -c:a aac -movflags +faststart`,
  "long.webm": `${picture("128x72", 3)} ${sine(3)} ${vp9} -c:a libopus`,
  /**
   * Has to be encoded; four segments. At eight seconds, the timestamps of the frames jump by `gapSeconds`. ffmpeg at
   * a limited read rate waits there, with the first segment finished.
   */
  "gap.mkv": `${picture("128x72", 16)} ${sine(16)} -vf setpts=PTS+gte(N\\,96)*${gapSeconds}/TB -fps_mode vfr -c:v mpeg4 -c:a aac`,
  /** H.264 whose second keyframe is no IDR picture: a player cannot begin there. */
  "open-gop.mp4": `-f lavfi -i testsrc2=s=128x72:r=25:d=6 -c:v libx264 -pix_fmt yuv420p -x264-params open-gop=1:keyint=100:bframes=3`,
  "encrypted.mp4": `${picture()} ${sound} ${h264} -c:a aac -encryption_scheme cenc-aes-ctr -encryption_key 76a6c65c5ea762046bd749a2e632ccbb -encryption_kid a7e61c373e219033c21091fa607bf3b8`,
  "bomb.avi": `${picture()} -c:v zlib`
} as const

export type Name = keyof typeof recipes

const edits: Partial<Readonly<Record<Name, (media: Buffer) => Buffer>>> = {
  "turned.mov": EditMedia.rotateTrack,
  "bomb.avi": EditMedia.declareHugePicture
}

/** Makes a video in a directory, of which all tests of a run have a copy. Returns its path. */
export const draw = async (directory: string, name: Name): Promise<string> => {
  const folder = await SharedFiles.directory(`stream-${name}`, async (made) => {
    const drawn = Path.join(made, name)
    await run("ffmpeg", "-nostdin", "-v", "error", "-y", ...recipes[name].split(" "), drawn)
    const edit = edits[name]
    if (edit !== undefined) await Fs.writeFile(drawn, edit(await Fs.readFile(drawn)))
  })
  const path = Path.join(directory, name)
  await Fs.copyFile(Path.join(folder, name), path)
  return path
}

/** Returns the bytes of a video. */
export const make = async (directory: string, name: Name): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await Fs.readFile(await draw(directory, name)))

/** Returns the first half of a video's bytes. */
export const half = async (directory: string, name: Name): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(EditMedia.cutInHalf(await Fs.readFile(await draw(directory, name))))

/** Generates a file and writes zeros over all its frames of audio. Another test may generate the same one at once. */
export const zeroAudio = async (directory: string, name: Name): Promise<Uint8Array<ArrayBuffer>> => {
  const path = await draw(await Fs.mkdtemp(Path.join(directory, "zeros-")), name)
  const entries = ["-select_streams", "a", "-show_entries", "packet=pos,size", "-of", "json"]
  const { packets } = JSON.parse(await run("ffprobe", "-v", "error", ...entries, path)) as {
    readonly packets: ReadonlyArray<{ readonly pos: string; readonly size: string }>
  }
  const bytes = new Uint8Array(await Fs.readFile(path))
  if (packets.length === 0) throw new Error(`${name} has no audio.`)
  for (const { pos, size } of packets) bytes.fill(0, Number(pos), Number(pos) + Number(size))
  return bytes
}
