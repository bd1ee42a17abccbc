/**
 * Video files that ffmpeg makes when they are first needed, cached in the system's temporary directory, and what ffprobe reports of
 * a file.
 */
import * as Requires from "@holdfast/testing/Requires"
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Why FFmpeg cannot run; undefined if it can. */
export const missing = Requires.firstMissing(
  Requires.command("ffmpeg", "-version"),
  Requires.command("ffprobe", "-version")
)

/** Runs a program until it exits. Throws with its standard error if it fails. Returns what it prints. */
export const run = (program: string, args: ReadonlyArray<string>, input?: Uint8Array) => {
  const { error, status, stderr, stdout } = spawnSync(program, args, { maxBuffer: 256 * 1024 * 1024, input })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${status}: ${stderr.toString()}`)
  return { stdout: stdout.toString(), stderr: stderr.toString() }
}

const picture = (seconds: number, rate = 25) => `-f lavfi -i testsrc2=s=192x108:r=${rate}:d=${seconds}`
const sound = (seconds: number, rate = 48_000) => `-f lavfi -i sine=f=440:r=${rate}:d=${seconds}`

/** H.264 with frames that are shown in another order than they are decoded. */
const h264 = "-c:v libx264 -preset veryfast -bf 3 -pix_fmt yuv420p -g 40 -sc_threshold 0"
const hevc = "-c:v libx265 -preset ultrafast -x265-params log-level=none:bframes=2:keyint=40 -pix_fmt yuv420p"

/** H.265 of which a player may begin with each keyframe. */
const closed = (parameters: string, pixels = "yuv420p10le") =>
  `-c:v libx265 -preset ultrafast -x265-params log-level=none:open-gop=0:bframes=3:keyint=40:${parameters} -pix_fmt ${pixels}`
const bt2020 = (transfer: string) => `colorprim=bt2020:transfer=${transfer}:colormatrix=bt2020nc:range=limited`

/** Two chapters, as a file of FFmpeg's metadata: "One" until 5 s, then "Two". */
const chapters =
  "data:text/plain;base64,O0ZGTUVUQURBVEExCltDSEFQVEVSXQpUSU1FQkFTRT0xLzEwMDAKU1RBUlQ9MApFTkQ9NTAwMAp0aXRsZT1PbmUKW0NIQVBURVJdClRJTUVCQVNFPTEvMTAwMApTVEFSVD01MDAwCkVORD0xMzAwMAp0aXRsZT1Ud28K"

/** Arguments of ffmpeg. A name in braces is another file, whose tracks are copied. */
const recipes = {
  "plain.mp4": `${picture(13)} ${sound(13)} ${h264} -c:a aac`,
  "short.mp4": `${picture(2)} ${sound(2)} ${h264} -c:a aac`,
  "first.mp4": `-i {plain.mp4} -c copy -movflags +faststart`,
  "quicktime.mov": `-i {plain.mp4} -c copy`,
  "fragments.mp4": `-i {plain.mp4} -c copy -movflags frag_keyframe+empty_moov`,
  "large-fragments.mp4": `-i {large.mp4} -c copy -movflags frag_keyframe+empty_moov`,
  /** The first frames are in no fragment. */
  "late-fragments.mp4": `-i {plain.mp4} -c copy -movflags frag_keyframe`,
  "cmaf.mp4": `-i {plain.mp4} -c copy -movflags cmaf+frag_every_frame`,
  "short-fragments.mp4": `-i {short.mp4} -c copy -movflags frag_keyframe+empty_moov+default_base_moof`,
  "signed.mp4": `-i {plain.mp4} -c copy -movflags negative_cts_offsets`,
  "later-sound.mp4": `-i {plain.mp4} -itsoffset 0.7 -i {plain.mp4} -map 0:v -map 1:a -c copy`,
  "hevc.mp4": `${picture(13)} ${sound(13, 44_100)} ${hevc} -tag:v hvc1 -c:a aac`,
  "hevc-sdr.mp4": `${picture(13)} ${sound(13)} ${closed("colorprim=bt709:transfer=bt709:colormatrix=bt709", "yuv420p")} -tag:v hvc1 -c:a aac`,
  "hevc-pq.mp4": `${picture(13)} ${closed(`${bt2020("smpte2084")}:max-cll=1000,400`)} -tag:v hvc1`,
  "hevc-hlg.mov": `${picture(5)} ${closed(bt2020("arib-std-b67"))} -tag:v hev1`,
  "hevc-ordered.mp4": `${picture(9)} ${closed("bframes=0:colorprim=bt709:transfer=bt709:colormatrix=bt709", "yuv420p")} -tag:v hvc1`,
  /** Each keyframe repeats the parameters of the file. */
  "hevc-repeated.mp4": `${picture(3)} ${closed(`${bt2020("smpte2084")}:repeat-headers=1`)} -tag:v hev1`,
  "hevc-fragments.mp4": `-i {hevc-pq.mp4} -c copy -movflags frag_keyframe+empty_moov`,
  "hevc-cropped.mp4": `-f lavfi -i testsrc2=s=190x106:r=25:d=2 ${closed(bt2020("arib-std-b67"))} -tag:v hvc1`,
  "hevc-trimmed.mp4": `-ss 0.26 -i {hevc-pq.mp4} -c copy -tag:v hvc1`,
  "hevc-rotated.mp4": `-i {hevc-hlg.mov} -c copy -tag:v hvc1 -metadata:s:v:0 rotate=90`,
  /** Frames before some keyframes in time, and after them in the file, refer to frames before these. */
  "hevc-open.mp4": `${picture(6)} -c:v libx265 -x265-params log-level=none:open-gop=1:bframes=3:keyint=40:min-keyint=40:scenecut=0 -tag:v hvc1`,
  "hevc-444.mp4": `${picture(2)} ${closed("colorprim=bt709", "yuv444p")} -tag:v hvc1`,
  "surround.mp4": `${picture(2)} ${sound(2)} ${h264} -ac 6 -c:a aac`,
  "languages.mp4": `-i {short.mp4} -map 0:v -map 0:a -map 0:a -c copy -metadata:s:a:0 language=eng -metadata:s:a:1 language=deu`,
  "chapters.mp4": `-i {plain.mp4} -f ffmetadata -i ${chapters} -map_chapters 1 -c copy`,
  "early-end.mp4": `${picture(13)} ${sound(2)} ${h264} -c:a aac`,
  "early-end-stereo.mp4": `${picture(13)} ${sound(2, 44_100)} ${h264} -ac 2 -c:a aac`,
  "late-begin.mp4": `${picture(13)} -itsoffset 2.5 ${sound(10)} ${h264} -c:a aac`,
  "pause.mp4": `${picture(13)} ${sound(13)} ${h264} -af aselect=lt(t\\,3)+gt(t\\,9) -c:a aac`,
  "silent.mp4": `${picture(13)} ${h264}`,
  "sound.m4a": `${sound(13, 44_100)} -c:a aac`,
  "ac3.mp4": `${sound(13)} -ac 6 -c:a ac3 -b:a 448k`,
  "eac3.mp4": `${sound(13)} -ac 6 -c:a eac3`,
  "beside-ac3.mp4": `-i {short.mp4} ${sound(2)} -map 0 -map 1 -c:v copy -c:a:0 copy -c:a:1 ac3`,
  "uneven.mp4": `${picture(13)} -vf select='not(mod(n\\,3))+lt(n\\,100)' -fps_mode vfr ${h264}`,
  /** Nothing is shown for two hours. */
  "gap.mp4": `${picture(2)} -vf setpts=PTS+gte(N\\,30)*7200/TB -fps_mode vfr ${h264}`,
  /** Frames are decoded two seconds before they are shown. */
  "early.mp4": `${picture(20, 1)} -c:v libx264 -bf 2 -g 4 -pix_fmt yuv420p`,
  "slow.mp4": `${picture(20, 1)} ${sound(20)} -c:v libx264 -bf 0 -g 4 -pix_fmt yuv420p -c:a aac`,
  /** Frames before the second keyframe in time, and after it in the file, refer to frames before it. */
  "open.mp4": `${picture(13)} -c:v libx264 -pix_fmt yuv420p -x264-params open-gop=1:keyint=50:bframes=3`,
  "trimmed.mp4": `-ss 0.26 -i {plain.mp4} -c copy`,
  "sparse.mp4": `${picture(30)} -c:v libx264 -preset ultrafast -g 9999 -sc_threshold 0 -pix_fmt yuv420p`,
  "delimited.mp4": `${picture(13)} ${h264} -x264-params aud=1`,
  "large.mp4": `-f lavfi -i testsrc2=s=1280x720:r=25:d=13 ${sound(13)} -c:v libx264 -preset ultrafast -qp 12 -pix_fmt yuv420p -g 50 -c:a aac`,
  "encrypted.mp4": `-i {plain.mp4} -c copy -encryption_scheme cenc-aes-ctr -encryption_key 76a6c65c5ea762046bd749a2e632ccbb -encryption_kid a7e61c373e219033c21091fa607bf3b8`
} as const

export type Name = keyof typeof recipes

const cache = join(tmpdir(), `holdfast-packaging-${process.getuid?.() ?? 0}`)

/** Returns the path of a file. */
export const path = (name: Name): string => {
  const recipe: string = recipes[name]
  const file = join(cache, `${createHash("sha256").update(JSON.stringify(recipes)).digest("hex").slice(0, 16)}-${name}`)
  if (existsSync(file)) return file
  mkdirSync(cache, { recursive: true, mode: 0o700 })
  const args = recipe.split(" ").map((argument) => argument.replace(/^\{(.+)\}$/, (_, source: Name) => path(source)))
  const made = join(cache, `${process.pid}-${name}`)
  run("ffmpeg", ["-nostdin", "-v", "error", "-y", ...args, made])
  renameSync(made, file)
  return file
}

export const load = (name: Name): Uint8Array => new Uint8Array(readFileSync(path(name)))

export interface Packet {
  readonly codec_type: string
  readonly stream_index: number
  readonly pts: number
  readonly dts: number
  readonly pts_time: string
  readonly dts_time: string
  readonly size: string
  readonly pos: string
  readonly flags: string
}

/** Returns the packets of a file, as ffprobe reads them. */
export const packets = (input: string | Uint8Array, kind: "video" | "audio"): ReadonlyArray<Packet> => {
  const isFile = typeof input === "string"
  const args = ["-v", "error", "-show_packets", "-of", "json", isFile ? input : "pipe:0"]
  const { stdout } = run("ffprobe", args, isFile ? undefined : input)
  const parsed: { readonly packets: ReadonlyArray<Packet> } = JSON.parse(stdout)
  return parsed.packets.filter(({ codec_type }) => codec_type === kind)
}

/** What a file contains. */
export interface Contents {
  /** Hashes of the decoded frames. */
  readonly video: ReadonlyArray<string>
  /** Hashes of the packets, without ADTS headers. */
  readonly audio: ReadonlyArray<string>
}

/** Decodes the video of a file or of bytes. Throws if FFmpeg reports an error. `isAac`: ADTS headers are removed from the audio. */
export const decode = (input: string | Uint8Array, isAac = true): Contents => {
  const name = typeof input === "string" ? input : "pipe:0"
  const filter = isAac ? "aac_adtstoasc" : "null"
  const args = `-v error -i ${name} -map 0:v? -map 0:a? -c:a copy -bsf:a ${filter} -f framemd5 -`.split(" ")
  const { stderr, stdout } = run("ffmpeg", args, typeof input === "string" ? undefined : input)
  if (stderr !== "") throw new Error(stderr)
  const kinds = new Map([...stdout.matchAll(/^#media_type (\d+): (\w+)$/gm)].map(([, index, kind]) => [index, kind]))
  const hashes = (wanted: string) =>
    stdout
      .split("\n")
      .filter((line) => /^\d/.test(line) && kinds.get(line.split(",")[0]) === wanted)
      .map((line) => line.split(",")[5]?.trim() ?? "")
  return { video: hashes("video"), audio: hashes("audio") }
}

/** Returns when the segments begin that FFmpeg makes of a copy, one from the first keyframe at or after each time, in seconds. */
export const segmentStarts = (file: string, times: string): ReadonlyArray<number> => {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-segments-"))
  try {
    const list = `${directory}/list.csv`
    const muxer = `-f segment -segment_times ${times} -segment_format mpegts -segment_list ${list}`
    const made = run(
      "ffmpeg",
      `-v error -i ${file} -c copy -avoid_negative_ts disabled ${muxer} ${directory}/%d.ts`.split(" ")
    )
    if (made.stderr !== "") throw new Error(made.stderr)
    return readFileSync(list, "utf8")
      .trim()
      .split("\n")
      .map((line) => Number(line.split(",")[1]))
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** A representation of a DASH presentation. */
export interface Representation {
  readonly init: Uint8Array
  readonly segments: ReadonlyArray<Uint8Array>
}

/** Copies the tracks of files to DASH with FFmpeg, in segments that begin at each keyframe. `inputs` are its arguments. */
export const toDash = (inputs: string, hasVideo = true): ReadonlyArray<Representation> => {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-dash-"))
  try {
    const names = `-init_seg_name init-$RepresentationID$.m4s -media_seg_name chunk-$RepresentationID$-$Number$.m4s`
    const args = inputs.split(" ").map((argument) => argument.replace(/^\{(.+)\}$/, (_, name: Name) => path(name)))
    const sets = hasVideo
      ? ["-adaptation_sets", "id=0,seg_duration=0.001,streams=v id=1,seg_duration=1000000,streams=a"]
      : ["-seg_duration", "2"]
    const common = "-nostdin -v error".split(" ")
    const output = [..."-c copy -f dash".split(" "), ...names.split(" "), ...sets, `${directory}/manifest.mpd`]
    run("ffmpeg", [...common, ...args, ...output])
    const read = (name: string) => new Uint8Array(readFileSync(join(directory, name)))
    const representations: Array<Representation> = []
    for (let id = 0; existsSync(join(directory, `init-${id}.m4s`)); id++) {
      const segments: Array<Uint8Array> = []
      for (let number = 1; existsSync(join(directory, `chunk-${id}-${number}.m4s`)); number++) {
        segments.push(read(`chunk-${id}-${number}.m4s`))
      }
      representations.push({ init: read(`init-${id}.m4s`), segments })
    }
    return representations
  } finally {
    rmSync(directory, { recursive: true })
  }
}
