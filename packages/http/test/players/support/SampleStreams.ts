/**
 * Sample streams: small videos of ffmpeg, converted with the FFmpeg transcoder. All tests of a run share them.
 */
import type { Format } from "@holdfast/core/transcoding/Presentation"
import { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as FfmpegTranscoder from "@holdfast/ffmpeg/FfmpegTranscoder"
import * as Requires from "@holdfast/testing/Requires"
import * as SharedFiles from "@holdfast/testing/SharedFiles"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { execFile } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { promisify } from "node:util"

export const missing = Requires.firstMissing(
  Requires.command("ffmpeg", "-version"),
  Requires.command("ffprobe", "-version")
)

const tone = "-f lavfi -i sine=f=440:d=12 -c:a aac -shortest"
const picture = (size: string, seconds: number) => `-f lavfi -i testsrc2=s=${size}:r=12:d=${seconds}`
const h264 = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 48 -keyint_min 48 -sc_threshold 0"

/** From half a second on: "Hello you". */
const captions = `data:text/plain;base64,${Buffer.from("1\n00:00:00,500 --> 00:00:11,000\nHello <b>you</b>\n").toString("base64")}`

/** ffmpeg's options and the file name, by name. */
const recipes = {
  /** Three segments of four seconds, one rendition. */
  plain: { options: `${picture("320x180", 12)} ${tone} ${h264}`, file: "plain.mp4" },
  /** Three renditions. */
  ladder: { options: `${picture("854x480", 6)} ${tone} -c:v mpeg4 -q:v 5`, file: "ladder.mkv" },
  /** More bits than a slow line has, in thirty segments of four seconds. It is copied, and has a lower rendition. */
  rich: {
    options: `${picture("640x360", 120)} -f lavfi -i sine=f=440:d=120 -c:a aac ${h264} -crf 12`,
    file: "rich.mp4"
  },
  /** Longer than a player's buffer. */
  long: {
    options: "-f lavfi -i testsrc2=s=128x72:r=5:d=120 -c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 20",
    file: "long.mp4"
  },
  /** Two languages, and captions. */
  languages: {
    options: `${picture("128x72", 12)} -f lavfi -i sine=f=440:d=12 -f lavfi -i sine=f=880:d=12 -f srt -i ${captions} -map 0 -map 1 -map 2 -map 3 -c:a aac -c:s srt ${h264} -metadata:s:s:0 language=eng -metadata:s:a:0 language=eng -metadata:s:a:1 language=deu`,
    file: "languages.mkv"
  },
  /** Surround sound in AC-3. */
  surround: {
    options: `${picture("128x72", 6)} -f lavfi -i sine=f=440:d=6 -map 0 -map 1 -c:a ac3 -ac 6 -metadata:s:a:0 language=eng ${h264}`,
    file: "surround.mkv"
  },
  /** H.265 with HDR, as phones record it. */
  hdr: {
    options: `${picture("320x180", 6)} -f lavfi -i sine=f=440:d=6 -c:a aac -c:v libx265 -preset ultrafast -pix_fmt yuv420p10le -tag:v hvc1 -x265-params log-level=none:open-gop=0:keyint=24:colorprim=bt2020:transfer=arib-std-b67:colormatrix=bt2020nc`,
    file: "hdr.mov"
  },
  /** The sound ends long before the picture, which is longer than a player's buffer. It is packaged, or encoded. */
  quiet: {
    options: `-f lavfi -i testsrc2=s=128x72:r=5:d=90 -f lavfi -i sine=f=440:d=4 -c:a aac ${h264}`,
    file: "quiet.mp4"
  },
  quietEncoded: {
    options: `-f lavfi -i testsrc2=s=128x72:r=5:d=90 -f lavfi -i sine=f=440:d=4 -c:a libopus -c:v mpeg4 -q:v 5`,
    file: "quiet.mkv"
  },
  /** The sound begins after 6 seconds, and has a gap of 8 seconds. */
  pauses: {
    options: `-f lavfi -i testsrc2=s=128x72:r=5:d=60 -f lavfi -i sine=f=440:d=60 -af aselect=gt(t\\,6)*lt(t\\,10)+gt(t\\,18) -c:a aac ${h264}`,
    file: "pauses.mp4"
  },
  portrait: { options: `${picture("180x320", 6)} ${h264}`, file: "portrait.mp4" },
  /** Two renditions. */
  portraits: { options: `${picture("288x512", 2)} -c:v mpeg4 -q:v 5`, file: "portraits.mkv" },
  /** A codec that players do not support: encoded in one rendition. */
  foreign: { options: `${picture("180x320", 6)} -c:v mpeg4 -q:v 5`, file: "foreign.avi" },
  sound: { options: "-f lavfi -i sine=f=440:d=6 -c:a aac", file: "sound.m4a" }
} as const

export type Name = keyof typeof recipes

const convert = (input: string, output: string, format: Format) =>
  Effect.gen(function* () {
    const transcoder = yield* Transcoder
    const media = yield* transcoder.probe({ input })
    yield* Stream.runDrain(transcoder.convert({ input, media, output, format }))
  }).pipe(Effect.provide(FfmpegTranscoder.layer({ niceness: 0, preset: "ultrafast" })), Effect.runPromise)

const draw = async (name: Name): Promise<string> => {
  const { file, options } = recipes[name]
  const folder = await SharedFiles.directory(`player-${name}`, async (made) => {
    const args = ["-nostdin", "-v", "error", "-y", ...options.split(" "), Path.join(made, file)]
    await promisify(execFile)("ffmpeg", args)
  })
  return Path.join(folder, file)
}

/** Returns the bytes of a video. */
export const video = async (name: Name): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await Fs.readFile(await draw(name)))

/** Returns the directory of a stream's files, which no test may change. */
export const directory = async (name: Name, format: Format): Promise<string> => {
  const input = await draw(name)
  return SharedFiles.directory(`player-${name}-${format}`, (output) => convert(input, output, format))
}
