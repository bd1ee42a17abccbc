/**
 * How containers store their tracks: edit lists, shifts, fragments, other tracks, captions.
 */
import * as EditMedia from "@holdfast/testing/transcoding/EditMedia"
import { aac, h264, type Input, make, picture, sound } from "../Input.ts"

const av = (
  name: string,
  options: string,
  expected: Parameters<typeof make>[2] = {},
  edit?: (media: Buffer) => Buffer
) => make(name, `${picture()} ${sound()} ${h264} ${aac} ${options}`, expected, edit)

const text = (cues: string): string => `data:text/plain;base64,${Buffer.from(cues).toString("base64")}`

const srt = text("1\n00:00:00,500 --> 00:00:01,500\nFirst\n\n2\n00:00:01,600 --> 00:00:02,500\nSecond\n")

/** A file that FFmpeg reads again: a copy of its tracks, changed by options of the input and of the output. */
const captioned = (name: string, codec: string): Input =>
  make(name, `${picture()} ${sound()} -f srt -i ${srt} -map 0 -map 1 -map 2 ${h264} ${aac} -c:s ${codec}`, {
    captions: 1
  })

/** Begins `seconds` after the first frame, by an edit list: the frames from the keyframe before are in the file. */
const trimmed = (name: string, seconds: number, codec = h264): Input =>
  make(name, `-ss ${seconds} ${picture()} -ss ${seconds} ${sound()} ${codec} ${aac}`, {
    earlier: seconds,
    seconds: 3 - seconds
  })

export const inputs: ReadonlyArray<Input> = [
  av("faststart.mp4", "-movflags +faststart"),
  av("fragmented.mp4", "-movflags frag_keyframe+empty_moov"),
  av("fragmented-cmaf.mp4", "-movflags cmaf+frag_keyframe+empty_moov"),
  av("fragmented-short.mp4", "-movflags empty_moov+default_base_moof -frag_duration 300000"),
  av("fragmented-wild.mp4", "-movflags frag_keyframe+empty_moov", {}, EditMedia.declareLongDuration),
  av("negative-offsets.mp4", "-bf 2 -movflags negative_cts_offsets"),
  av("no-edit-list.mp4", "-use_editlist 0"),
  av("big-timescale.mp4", "-video_track_timescale 1000000"),
  trimmed("trimmed-input.mp4", 0.2),
  make("sound-late.mp4", `${picture()} -itsoffset 0.4 ${sound()} ${h264} ${aac} -t 3`, { soundLater: 0.4 }),
  make("sound-late.mkv", `${picture()} -itsoffset 0.4 ${sound()} ${h264} ${aac} -t 3`, { soundLater: 0.4 }),
  make("sound-late.ts", `${picture()} -itsoffset 0.4 ${sound()} ${h264} ${aac} -t 3`, { soundLater: 0.4 }),
  ...["h264", "mpeg4"].map((codec) =>
    make(
      `sound-12-late-${codec}.mkv`,
      `${picture({ seconds: 16 })} -itsoffset 12 ${sound()} ${codec === "h264" ? h264 : "-c:v mpeg4 -q:v 3"} ${aac}`,
      { soundLater: 12, seconds: 16 }
    )
  ),
  make("picture-late.mp4", `-itsoffset 0.4 ${picture()} ${sound()} ${h264} ${aac} -t 3`, {
    soundLater: -0.4
  }),
  make("picture-late-mpeg4.mkv", `-itsoffset 0.3 ${picture()} ${sound()} -c:v mpeg4 -q:v 3 ${aac} -t 3`, {
    soundLater: -0.3,
    hlsSeconds: 2.7
  }),
  make("picture-late.mkv", `-itsoffset 0.4 ${picture()} ${sound()} ${h264} ${aac} -t 3`, {
    soundLater: -0.4,
    hlsSeconds: 2.6
  }),
  make("sound-short.mp4", `${picture()} ${sound({ seconds: 1.8 })} ${h264} ${aac}`),
  make("picture-short.mp4", `${picture({ seconds: 1.8 })} ${sound()} ${h264} ${aac}`, { hlsSeconds: 1.8 }),
  av("late.mkv", "-output_ts_offset 3600"),
  av("late.ts", "-output_ts_offset 3600"),
  av("wraps.ts", "-output_ts_offset 95442"),
  av("late.mp4", "-output_ts_offset 3600 -avoid_negative_ts disabled"),
  av("m2ts.ts", "-mpegts_m2ts_mode 1"),
  av("live.mkv", "-live 1"),
  av("live.webm", "-c:v libvpx -deadline realtime -cpu-used 8 -b:v 1M -c:a libopus -live 1"),
  av("timecode.mov", "-timecode 10:00:00:00"),
  av("cues-first.mkv", "-cues_to_front 1"),
  make(
    "languages.mkv",
    `${picture()} ${sound()} ${sound()} -map 0 -map 1 -map 2 ${h264} ${aac} -metadata:s:a:0 language=eng -metadata:s:a:1 language=deu`
  ),
  make("two-videos.mp4", `${picture()} ${picture({ size: "96x54" })} ${sound()} -map 0 -map 1 -map 2 ${h264} ${aac}`),
  ...["mov", "mkv"].map((type) =>
    make(
      `still-first.${type}`,
      `-f lavfi -i testsrc2=s=64x64:r=1:d=1 ${picture()} ${sound()} -map 0 -map 1 -map 2 ${h264} ${aac} -c:v:0 mjpeg -pix_fmt:v:0 yuvj420p -disposition:v:0 default`,
      // The source is compared by its first track.
      { rate: 25 }
    )
  ),
  make(
    "cover.m4a",
    `${sound()} -f lavfi -i testsrc2=s=64x64:r=1:d=1 -map 0 -map 1 ${aac} -c:v mjpeg -pix_fmt yuvj420p -frames:v 1 -disposition:v attached_pic`,
    { size: undefined }
  ),
  make(
    "cover.mp3",
    `${sound()} -f lavfi -i testsrc2=s=64x64:r=1:d=1 -map 0 -map 1 -c:a libmp3lame -c:v mjpeg -pix_fmt yuvj420p -frames:v 1 -disposition:v attached_pic`,
    { size: undefined }
  ),
  captioned("captions.mp4", "mov_text"),
  captioned("captions.mkv", "srt"),
  captioned("captions-ass.mkv", "ass"),
  captioned("captions-webvtt.mkv", "webvtt")
]
