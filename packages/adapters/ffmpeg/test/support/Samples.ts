/**
 * Small media files that ffmpeg makes when they are first needed. They are cached in the system's temporary directory.
 */
import * as EditMedia from "@holdfast/testing/transcoding/EditMedia"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Tools from "./Tools.ts"

export interface Recipe {
  readonly arguments: ReadonlyArray<string>
  /** Returns the final content of the file. */
  readonly edit?: (media: Buffer) => Buffer
}

/** Duration of the samples, unless a recipe has another one. */
export const seconds = 6

const picture = (size: string, rate = 12, source = "testsrc2", duration = seconds): string =>
  `-f lavfi -i ${source}=s=${size}:r=${rate}:d=${duration}`
const sound = (rate = 44_100): string => `-f lavfi -i sine=f=440:r=${rate}:d=${seconds}`

const h264 = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 24"
const hevc = "-c:v libx265 -preset ultrafast -x265-params log-level=none"
const vp9 = "-c:v libvpx-vp9 -deadline realtime -cpu-used 8"

const recipe = (options: string, edit?: (media: Buffer) => Buffer): Recipe => ({
  arguments: options.split(" "),
  ...(edit === undefined ? {} : { edit })
})

/** A copy of the tracks of another sample. */
const cut = (source: string, before: string, after = "", edit?: (media: Buffer) => Buffer): Recipe =>
  recipe(`${before} -i {${source}} -c copy ${after}`.trim().replaceAll(/ +/g, " "), edit)

const captions = `data:text/plain;base64,${Buffer.from("1\n00:00:01,000 --> 00:00:02,500\n<b>Hello</b> <script>you\n\n2\n00:00:03,000 --> 00:00:05,000\nSecond\n").toString("base64")}`

const chapters = `data:text/plain;base64,${Buffer.from(';FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=2000\ntitle=The "first"\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=2000\nEND=6000\n').toString("base64")}`

/** RGB of three patches, each of 64×64 pixels. */
export const patches = [
  [255, 1, 3],
  [20, 200, 30],
  [96, 128, 192]
] as const

const patchInputs = patches
  .map((rgb) => `-f lavfi -i color=c=0x${Buffer.from(rgb).toString("hex")}:s=64x64:r=5:d=1`)
  .join(" ")

/** A picture of the patches, whose colours are converted by `filters` from RGB. */
const colored = (filters: string, codec: string): Recipe =>
  recipe(`${patchInputs} -filter_complex hstack=3,format=gbrp,${filters} ${codec}`)

const rgb = "setparams=colorspace=gbr:color_primaries=bt709:color_trc=bt709:range=full"

/** Patches in H.264, whose samples have this matrix and range. */
const narrow = (matrix: string, range: "limited" | "full"): Recipe =>
  colored(
    `scale=flags=accurate_rnd+full_chroma_int:out_color_matrix=${matrix}:out_range=${range},format=yuv420p,setparams=colorspace=${matrix}:range=${range}`,
    "-c:v libx264 -qp 0"
  )

/**
 * Patches with the primaries of BT.2020. Near the edge of BT.709, the steps of 10 bits are visible: hence 16 bits. The transfer function is
 * exact: its approximation depends on the processor.
 */
const wide = (range: "limited" | "full"): Recipe =>
  colored(
    `${rgb},zscale=primaries=bt2020:transfer=bt2020-10:matrix=bt2020nc:range=${range}:agamma=0,format=yuv444p16le`,
    "-c:v ffv1"
  )

/** Patches in H.265 of 10 bits and a high dynamic range. */
const hdr = (transfer: string): Recipe =>
  colored(
    `${rgb},zscale=transfer=linear:npl=203,format=gbrpf32le,zscale=primaries=bt2020,zscale=transfer=${transfer}:matrix=bt2020nc:range=limited:npl=203,format=yuv420p10le`,
    `-c:v libx265 -x265-params log-level=none:lossless=1:colorprim=bt2020:transfer=${transfer}:colormatrix=bt2020nc`
  )

/** Renames the last box of a type. */
const renameLast = (media: Buffer, type: string, name: string): Buffer => {
  media.write(name, media.lastIndexOf(type), "latin1")
  return media
}

const recipes = {
  /** The index is at the end of the file. */
  "h264.mp4": recipe(`${picture("192x108")} ${sound()} ${h264} -c:a aac`),
  "silent.mp4": recipe(`${picture("192x108")} ${h264}`),
  "sound.m4a": recipe(`${sound()} -c:a aac`),
  "sound.mp3": recipe(`${sound()} -c:a libmp3lame`),
  "mpeg4-480.mkv": recipe(`${picture("854x480", 10)} ${sound(48_000)} -c:v mpeg4 -q:v 5 -c:a ac3`),
  "vp9.webm": recipe(`${picture("192x108")} ${sound(48_000)} ${vp9} -c:a libopus`),
  "hevc.mkv": recipe(`${picture("192x108")} ${sound()} ${hevc} -c:a ac3`),
  "mpeg4.avi": recipe(`${picture("192x108")} ${sound()} -c:v mpeg4 -c:a libmp3lame`),
  "turned.mov": recipe(`${picture("192x108")} ${sound()} ${h264} -c:a aac`, EditMedia.rotateTrack),
  "wmv.wmv": recipe(`${picture("192x108", 25)} ${sound()} -c:v wmv2 -c:a wmav2`),
  "flv.flv": recipe(`${picture("192x108")} ${sound()} -c:v flv -c:a libmp3lame`),
  "odd.webm": recipe(`${picture("853x479", 8, "testsrc")} ${vp9} -pix_fmt yuv420p`),
  /** All frames for two seconds, then only every third one. */
  "uneven.mkv": recipe(`${picture("192x108")} -vf select='not(mod(n\\,3))+lt(n\\,24)' -fps_mode vfr ${h264}`),
  "uneven.webm": recipe(`${picture("192x108")} -vf select='not(mod(n\\,3))+lt(n\\,24)' -fps_mode vfr ${vp9}`),
  /** Three seconds of frames, a hundred seconds without, and three more seconds of frames. */
  "gap.mkv": recipe(`${picture("192x108")} -vf setpts=PTS+gte(N\\,36)*100/TB -fps_mode vfr -c:v mpeg4`),
  "tenbit.mp4": recipe(`${picture("192x108")} ${hevc} -pix_fmt yuv420p10le`),
  /** Matroska rounds the times of its frames to milliseconds. */
  "fast.mkv": recipe(`${picture("192x108", 120, "testsrc2", 3)} -c:v mpeg4`),
  /** One frame per four seconds, encoded out of order. */
  "slow.mp4": recipe(`-f lavfi -i testsrc2=s=192x108:r=1/4:d=20 -c:v libx264 -pix_fmt yuv420p`),
  "slow.mkv": recipe(`-f lavfi -i testsrc2=s=192x108:r=1:d=6 -c:v mpeg4`),
  /** Pictures of noise, and pictures without change, long enough for one sample of their bitrate. */
  "noise.mkv": recipe(`${picture("640x360", 2, "color", 140)} -vf noise=alls=80:allf=t -c:v mpeg4 -q:v 3`),
  "still.mkv": recipe(`${picture("640x360", 2, "color", 140)} -c:v mpeg4`),
  /** Its second and third keyframe have some 400 bytes. */
  "tiny.mkv": recipe(`${picture("32x18", 12, "smptebars", 3)} -c:v ffv1`),
  "portrait.mkv": recipe(`${picture("108x192")} -c:v mpeg4`),
  "interlaced.mkv": recipe(`${picture("192x108", 25)} -c:v mpeg2video -flags +ildct+ilme -vf setfield=tff`),
  "one-frame.mp4": recipe(`${picture("192x108", 25)} -frames:v 1 ${h264}`),
  "one-frame.mkv": recipe(`${picture("192x108", 25)} -frames:v 1 -c:v mpeg4`),
  "encrypted.mp4": recipe(
    `${picture("192x108")} ${sound()} ${h264} -c:a aac -encryption_scheme cenc-aes-ctr -encryption_key 76a6c65c5ea762046bd749a2e632ccbb -encryption_kid a7e61c373e219033c21091fa607bf3b8`
  ),
  /** Three languages, the last one with surround sound and a title that needs escaping; captions in two forms; chapters. */
  "languages.mkv": recipe(
    `${picture("192x108")} ${sound(48_000)} ${sound(44_100)} -f lavfi -i anullsrc=cl=5.1(side):r=48000:d=${seconds} -f srt -i ${captions} -f ffmetadata -i ${chapters} -map_chapters 5 -map 0 -map 1 -map 2 -map 3 -map 4 -map 4 -c:s:0 srt -c:s:1 ass -metadata:s:s:0 language=eng -metadata:s:s:1 language=swe -metadata:s:s:1 title=Tal ${h264} -c:a aac -c:a:2 ac3 -t 3.5 -metadata:s:a:0 language=eng -metadata:s:a:1 language=ger -metadata:s:a:2 language=fra -metadata:s:a:2 title=A"<&b`
  ),
  "surround.mkv": recipe(
    `${picture("192x108")} -f lavfi -i anullsrc=cl=5.1(side):r=48000:d=${seconds} -c:v mpeg4 -c:a ac3`
  ),
  "surround.mp4": recipe(`${picture("192x108")} -f lavfi -i sine=f=440:r=48000:d=${seconds} ${h264} -c:a eac3 -ac 6`),
  /** No audio from 2 to 9 s. */
  "gap-in-audio.mkv": recipe(
    `${picture("192x108", 12, "testsrc2", 14)} -f lavfi -i sine=f=440:r=48000:d=14 -af aselect='lt(t\\,2)+gt(t\\,9)' ${h264} -c:a aac`
  ),
  /** No audio from 2 to 9 s in the second track. */
  "sound.caf": recipe(`-f lavfi -i sine=d=0.1 -c:a pcm_s16be`),
  /** One language ends after 2 s, the other one after 9 s. */
  "audio-ends.mkv": recipe(
    `${picture("192x108", 12, "testsrc2", 14)} -f lavfi -i sine=f=440:r=48000:d=2 -f lavfi -i sine=f=880:r=44100:d=9 -map 0 -map 1 -map 2 ${h264} -c:a aac -ac 2 -metadata:s:a:0 language=eng -metadata:s:a:1 language=ger`
  ),
  "surround-ends.mkv": recipe(
    `${picture("192x108", 12, "testsrc2", 14)} -f lavfi -i sine=f=440:r=48000:d=2 ${h264} -c:a aac -ac 6`
  ),
  "sound-late.mkv": recipe(
    `-f lavfi -i testsrc2=s=64x36:r=10:d=33 -itsoffset 30 -f lavfi -i sine=d=3 -c:v mpeg4 -c:a aac`
  ),
  "sound-too-late.mkv": recipe(
    `-f lavfi -i testsrc2=s=64x36:r=10:d=205 -itsoffset 200 -f lavfi -i sine=d=3 -c:v mpeg4 -c:a aac`
  ),
  "rare.mp4": recipe(
    `-f lavfi -i testsrc2=s=192x108:r=1/4:d=60 -f lavfi -i sine=d=60 -c:v libx264 -preset ultrafast -pix_fmt yuv420p -c:a aac`
  ),
  "gap-in-language.mkv": recipe(
    `${picture("192x108", 12, "testsrc2", 14)} ${sound(48_000)} -f lavfi -i sine=f=440:r=48000:d=14 -map 0 -map 1 -map 2 -filter:a:1 aselect='lt(t\\,2)+gt(t\\,9)' ${h264} -c:a aac`
  ),
  /** The second audio track declares a codec for which FFmpeg has no decoder. */
  "unknown-audio.mp4": recipe(
    `${picture("192x108")} ${sound()} ${sound()} -map 0 -map 1 -map 2 ${h264} -c:a aac`,
    (media) => renameLast(renameLast(media, "mp4a", "mhm1"), "esds", "free")
  ),
  /** The second audio track has a header and no packet. */
  "empty-audio.mkv": recipe(
    `${picture("192x108")} ${sound()} ${sound()} -map 0 -map 1 -map 2 ${h264} -c:a aac -bsf:a:1 noise=drop=1`
  ),
  /** An edit list hides everything before 0.26 s. */
  "trimmed.mp4": cut("h264.mp4", "-ss 0.26"),
  /** Begins at one hour. */
  "late.mkv": cut("h264.mp4", "-itsoffset 3600", "-copyts"),
  "fragmented.mp4": cut("h264.mp4", "", "-movflags frag_keyframe+empty_moov", EditMedia.declareLongDuration),
  /** Frames before the second keyframe in time, and after it in the file, refer to frames before it. */
  "open-gop.mp4": recipe(
    `${picture("192x108", 25)} -c:v libx264 -pix_fmt yuv420p -x264-params open-gop=1:keyint=50:bframes=3`
  ),
  /** No keyframe in the last 30 seconds. */
  "keyframes-stop.mp4": recipe(
    `${picture("64x64", 30, "testsrc2", 140)} -c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 9999 -sc_threshold 0 -force_key_frames expr:lt(t,110)*gte(t,n_forced*2)`
  ),
  "cut.mp4": recipe(`${picture("192x108")} ${sound()} ${h264} -c:a aac -movflags +faststart`, EditMedia.cutInHalf),
  "cut-index.mp4": recipe(`${picture("192x108")} ${sound()} ${h264} -c:a aac`, EditMedia.cutInHalf),
  "cut.webm": recipe(`${picture("192x108")} ${sound(48_000)} ${vp9} -c:a libopus`, EditMedia.cutInHalf),
  "bt601.mp4": narrow("smpte170m", "limited"),
  "bt601-full.mp4": narrow("smpte170m", "full"),
  "bt709.mp4": narrow("bt709", "limited"),
  "bt709-full.mp4": narrow("bt709", "full"),
  "bt2020.mkv": wide("limited"),
  "bt2020-full.mkv": wide("full"),
  "pq.mp4": hdr("smpte2084"),
  "hlg.mp4": hdr("arib-std-b67"),
  "rgb.mkv": colored("null", "-c:v ffv1"),
  "8k.avi": recipe(`-f lavfi -i color=s=7680x4320:r=1:d=1 -c:v mjpeg`),
  "bomb.avi": recipe(`${picture("64x64")} -c:v zlib`, EditMedia.declareHugePicture)
} satisfies { readonly [name: string]: Recipe }

export type Name = keyof typeof recipes

const cache = join(tmpdir(), `holdfast-samples-${process.getuid?.() ?? 0}`)

let version: string | undefined

/** Returns the path of the file of a recipe. Another version of ffmpeg or another recipe makes another file. */
export const make = (name: string, { arguments: args, edit }: Recipe): string => {
  version ??= Tools.run(Tools.ffmpeg, ["-version"]).stdout
  const key = createHash("sha256")
    .update(JSON.stringify([version, args, String(edit)]))
    .digest("hex")
    .slice(0, 16)
  const file = join(cache, `${key}-${name}`)
  if (!existsSync(file)) {
    mkdirSync(cache, { recursive: true, mode: 0o700 })
    const made = join(cache, `${process.pid}-${name}`)
    const inputs = args.map((argument) => argument.replace(/^\{(.+)\}$/, (_, source: Name) => path(source)))
    Tools.run(Tools.ffmpeg, ["-nostdin", "-v", "error", "-y", ...inputs, made])
    if (edit !== undefined) writeFileSync(made, edit(readFileSync(made)))
    renameSync(made, file)
  }
  return file
}

/** Returns the path of a sample. */
export const path = (name: Name): string => make(name, recipes[name])
