/**
 * Pixel formats, frame rates, sizes, rotations, and how frames refer to each other.
 */
import * as EditMedia from "@holdfast/testing/transcoding/EditMedia"
import { aac, h264, type Input, make, type Picture, picture, sound } from "../Input.ts"

const hevc = "-c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=25"
const vp9 = "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 25"

const formats: ReadonlyArray<readonly [name: string, pixels: string, codec: string]> = [
  ["h264-10bit.mp4", "yuv420p10le", h264],
  ["h264-422.mp4", "yuv422p", h264],
  ["h264-444.mp4", "yuv444p", h264],
  ["h264-422-10bit.mkv", "yuv422p10le", h264],
  ["h264-full-range.mp4", "yuvj420p", h264],
  ["h264-gray.mp4", "gray", h264],
  ["h264-rgb.mp4", "bgr24", "-c:v libx264rgb -preset ultrafast"],
  ["hevc-10bit.mp4", "yuv420p10le", hevc],
  ["hevc-422-10bit.mkv", "yuv422p10le", hevc],
  ["hevc-444-12bit.mkv", "yuv444p12le", hevc],
  ["vp9-444.webm", "yuv444p", vp9],
  ["vp9-10bit.webm", "yuv420p10le", vp9],
  ["vp9-alpha.webm", "yuva420p", `${vp9} -auto-alt-ref 0`],
  ["ffv1-rgb16.mkv", "gbrp16le", "-c:v ffv1"],
  ["ffv1-bgra.mkv", "bgra", "-c:v ffv1"],
  ["ffv1-gray16.mkv", "gray16le", "-c:v ffv1"]
]

const silent = (name: string, options: Picture, codec: string, expected: Parameters<typeof make>[2] = {}): Input =>
  make(name, `${picture(options)} ${codec}`, { hasAudio: false, ...expected })

const rates = ["10", "12", "15", "24000/1001", "24", "30000/1001", "30", "48", "50", "60000/1001", "60"]

const sideways = (type: string, degrees: 90 | 180 | 270): Input =>
  make(
    `rotated-${degrees}.${type}`,
    `${picture()} ${sound()} ${h264} ${aac}`,
    { size: degrees === 180 ? "192x108" : "108x192" },
    (media) => EditMedia.rotateTrack(media, degrees)
  )

export const inputs: ReadonlyArray<Input> = [
  ...formats.map(([name, pixels, codec]) => silent(name, { pixels }, codec)),
  ...rates.map((rate) =>
    make(`rate-${rate.replace("/", "-")}.mp4`, `${picture({ rate })} ${sound()} ${h264} -pix_fmt yuv420p ${aac}`)
  ),
  silent("rate-1.mp4", { rate: "1" }, h264, { hasMarks: false }),
  silent("rate-1.mkv", { rate: "1" }, "-c:v mpeg4 -q:v 3", { hasMarks: false }),
  ...["1/2", "1", "4"].map((rate) =>
    make(
      `rare-${rate.replace("/", "-")}.mkv`,
      `${picture({ rate, seconds: 16 })} ${sound({ seconds: 16 })} -c:v mpeg4 -q:v 3 ${aac}`,
      { seconds: 16, hasMarks: false }
    )
  ),
  make(
    "still-at-first.mkv",
    `${picture({ seconds: 8 })} ${sound({ seconds: 8 })} -vf select='eq(n\\,0)+gte(t\\,6)' -fps_mode vfr -c:v mpeg4 -q:v 3 ${aac}`,
    { seconds: 8, hasMarks: false }
  ),
  silent("rate-100.mkv", { rate: "100" }, "-c:v mpeg4 -q:v 3", { rate: 50 }),
  silent("rate-120.mp4", { rate: "120" }, `${h264} -g 120`),
  silent("rate-120.webm", { rate: "120" }, vp9, { rate: 60 }),
  silent("rate-240.webm", { rate: "240" }, vp9, { rate: 60 }),
  silent("variable.mp4", {}, `-vf select='not(mod(n\\,3))+lt(n\\,30)' -fps_mode vfr ${h264}`),
  silent("variable.mkv", {}, `-vf select='not(mod(n\\,3))+lt(n\\,30)' -fps_mode vfr ${h264}`),
  silent("variable.webm", {}, `-vf select='not(mod(n\\,3))+lt(n\\,30)' -fps_mode vfr ${vp9}`),
  silent(
    "variable-mpeg4.mkv",
    { rate: "30", seconds: 9 },
    "-vf select='gt(random(7)\\,0.1)' -fps_mode vfr -c:v mpeg4 -q:v 3",
    { seconds: 9, hasExactTimes: true }
  ),
  ...(["mp4", "mov"] as const).flatMap((type) => ([90, 180, 270] as const).map((degrees) => sideways(type, degrees))),
  ...[true, false].map((isVertical) =>
    make(
      `mirrored-${isVertical ? "vertically" : "horizontally"}.mp4`,
      `${picture()} ${sound()} ${h264} ${aac}`,
      {},
      (media) => EditMedia.mirrorTrack(media, isVertical)
    )
  ),
  silent("wide-pixels.mp4", { size: "144x108", filter: "setsar=4/3" }, h264, { size: "192x108" }),
  silent("wide-pixels.mkv", { size: "144x108", filter: "setsar=4/3" }, "-c:v mpeg4 -q:v 3", { size: "192x108" }),
  silent("tall-pixels.mp4", { size: "192x54", filter: "setsar=1/2" }, h264, { size: "96x54" }),
  silent("odd.webm", { size: "161x91" }, vp9, { size: "160x90" }),
  silent("odd-444.mp4", { size: "161x91", pixels: "yuv444p" }, h264, { size: "160x90" }),
  silent("tiny.mp4", { size: "16x16" }, h264, { size: "16x16" }),
  silent("tiny.mkv", { size: "32x18" }, "-c:v ffv1", { size: "32x18" }),
  silent("portrait.mp4", { size: "108x192" }, h264, { size: "108x192" }),
  silent("long-strip.mkv", { size: "640x32" }, "-c:v ffv1", { size: "640x32" }),
  silent("square.webm", { size: "144x144" }, vp9, { size: "144x144" }),
  make("b-frames.mp4", `${picture()} ${sound()} -c:v libx264 -bf 3 -g 25 ${aac}`),
  make("b-pyramid.mkv", `${picture()} ${sound()} -c:v libx264 -bf 8 -b-pyramid normal -refs 6 -g 25 ${aac}`),
  silent("open-gop.mp4", {}, "-c:v libx264 -x264-params open-gop=1:keyint=25:bframes=3"),
  silent("open-gop.mkv", {}, "-c:v libx264 -x264-params open-gop=1:keyint=25:bframes=3"),
  silent("open-gop.ts", {}, "-c:v libx264 -x264-params open-gop=1:keyint=25:bframes=3"),
  silent("intra-refresh.mp4", {}, "-c:v libx264 -x264-params intra-refresh=1:keyint=25"),
  silent("intra-only.mp4", {}, "-c:v libx264 -preset ultrafast -g 1"),
  silent("one-keyframe.mp4", {}, "-c:v libx264 -preset ultrafast -g 9999 -sc_threshold 0"),
  silent("baseline.mp4", {}, `${h264} -profile:v baseline`),
  silent("high.mp4", {}, "-c:v libx264 -preset faster -g 25 -profile:v high"),
  silent("slices.mp4", {}, `${h264} -slices 4`),
  silent("level-6.mp4", {}, `${h264} -level 6.2`),
  silent("interlaced-h264.mp4", {}, "-c:v libx264 -x264-params tff=1:keyint=25 -vf setfield=tff", {
    looksAlike: false
  }),
  silent("interlaced-mpeg2.ts", {}, "-c:v mpeg2video -q:v 3 -flags +ildct+ilme -vf setfield=tff", {
    looksAlike: false
  }),
  silent("nine-seconds.mp4", { seconds: 9 }, "-c:v libx264 -preset faster -g 60 -bf 2", { seconds: 9 }),
  silent("nine-seconds.webm", { seconds: 9 }, vp9, { seconds: 9 }),
  silent("one-frame.mp4", {}, `-frames:v 1 ${h264}`, { seconds: 0.04, hasMarks: false }),
  silent("two-frames.mkv", {}, "-frames:v 2 -c:v mpeg4 -q:v 3", { seconds: 0.08, hasMarks: false }),
  silent(
    "pq.mp4",
    {
      filter:
        "zscale=matrixin=bt709:transferin=bt709:primariesin=bt709:rangein=limited:transfer=smpte2084:primaries=bt2020:matrix=bt2020nc",
      pixels: "yuv420p10le"
    },
    `${hevc}:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc`,
    { looksAlike: false }
  ),
  silent(
    "hlg.mkv",
    {
      filter:
        "zscale=matrixin=bt709:transferin=bt709:primariesin=bt709:rangein=limited:transfer=arib-std-b67:primaries=bt2020:matrix=bt2020nc",
      pixels: "yuv420p10le"
    },
    `${hevc}:colorprim=bt2020:transfer=arib-std-b67:colormatrix=bt2020nc`,
    { looksAlike: false }
  )
]
