/**
 * Video codecs in the containers that have them.
 */
import { aac, h264, type Input, make, picture, sound } from "../Input.ts"

const av = (name: string, codecs: string, pixels = "yuv420p"): Input =>
  make(name, `${picture({ pixels })} ${sound()} ${codecs}`)

const hevc = "-c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=25"
const vp9 = "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 25"
const vp8 = "-c:v libvpx -deadline realtime -cpu-used 8 -b:v 1M"
const av1 = "-c:v libsvtav1 -preset 12"
const mp3 = "-c:a libmp3lame"
const mpeg4 = "-c:v mpeg4 -q:v 3"
const pcm = "-c:a pcm_s16le"

export const inputs: ReadonlyArray<Input> = [
  ...["mp4", "mov", "mkv", "ts", "avi", "flv", "3gp", "m4v"].map((type) => av(`h264.${type}`, `${h264} ${aac}`)),
  av("h264.f4v", `${h264} ${aac} -f f4v`),
  ...["mp4", "mov", "mkv", "ts"].map((type) => av(`hevc.${type}`, `${hevc} ${aac}`)),
  av("hevc-hvc1.mp4", `${hevc} -tag:v hvc1 ${aac}`),
  av("vp8.webm", `${vp8} -c:a libvorbis`),
  av("vp8.mkv", `${vp8} -c:a libopus`),
  av("vp8.avi", `${vp8} ${mp3}`),
  av("vp9.webm", `${vp9} -c:a libopus`),
  av("vp9.mkv", `${vp9} -c:a libvorbis`),
  av("vp9.mp4", `${vp9} ${aac}`),
  ...["mp4", "webm", "mkv"].map((type) => av(`av1.${type}`, `${av1} -c:a libopus`)),
  ...["mp4", "avi", "mkv", "mov", "3gp"].map((type) => av(`mpeg4.${type}`, `${mpeg4} ${type === "avi" ? mp3 : aac}`)),
  av("mpeg4-bframes.avi", `${mpeg4} -bf 2 ${mp3}`),
  av("xvid.avi", `-c:v libxvid -q:v 3 ${mp3}`),
  ...["ts", "mpg", "vob", "mkv", "avi"].map((type) =>
    av(`mpeg2.${type}`, `-c:v mpeg2video -q:v 3 ${type === "avi" ? mp3 : "-c:a mp2"}`)
  ),
  av("mpeg1.mpg", "-c:v mpeg1video -q:v 3 -c:a mp2"),
  make("h263.3gp", `${picture({ size: "176x144" })} ${sound()} -c:v h263 -q:v 3 ${aac}`, { size: "176x144" }),
  av("flv1.flv", `-c:v flv -q:v 3 ${mp3} -ar 44100`),
  av("flashsv.flv", `-c:v flashsv ${mp3} -ar 44100`, "bgr24"),
  av("msmpeg4v2.avi", `-c:v msmpeg4v2 -q:v 3 ${mp3}`),
  av("msmpeg4v3.avi", `-c:v msmpeg4 -q:v 3 ${mp3}`),
  av("wmv1.wmv", "-c:v wmv1 -q:v 3 -c:a wmav1"),
  av("wmv2.wmv", "-c:v wmv2 -q:v 3 -c:a wmav2"),
  av("theora.ogv", "-c:v libtheora -q:v 8 -c:a libvorbis"),
  av("theora.mkv", "-c:v libtheora -q:v 8 -c:a flac"),
  ...["avi", "mov", "mkv"].map((type) => av(`mjpeg.${type}`, `-c:v mjpeg -q:v 3 ${pcm}`, "yuvj420p")),
  av("prores.mov", `-c:v prores_ks ${pcm}`, "yuv422p10le"),
  av("prores-4444.mov", `-c:v prores_ks -profile:v 4444 ${pcm}`, "yuva444p10le"),
  av("prores.mkv", `-c:v prores_ks ${pcm}`, "yuv422p10le"),
  make(
    "dnxhr.mov",
    `${picture({ size: "256x120", pixels: "yuv422p" })} ${sound()} -c:v dnxhd -profile:v dnxhr_sq ${pcm}`,
    {
      size: "256x120"
    }
  ),
  av("ffv1.mkv", "-c:v ffv1 -c:a flac"),
  av("ffv1.avi", `-c:v ffv1 ${pcm}`),
  av("huffyuv.avi", `-c:v huffyuv ${pcm}`, "yuv422p"),
  av("ffvhuff.mkv", `-c:v ffvhuff ${pcm}`),
  av("utvideo.avi", `-c:v utvideo ${pcm}`),
  av("magicyuv.avi", `-c:v magicyuv ${pcm}`, "gbrp"),
  av("raw.avi", `-c:v rawvideo ${pcm}`),
  av("raw.mov", `-c:v rawvideo ${pcm}`, "uyvy422"),
  av("raw.mkv", `-c:v rawvideo ${pcm}`),
  av("qtrle.mov", `-c:v qtrle ${pcm}`, "rgb24"),
  av("png.mov", `-c:v png ${pcm}`, "rgb24"),
  av("jpeg2000.mov", `-c:v jpeg2000 ${pcm}`),
  // The encoder reads beyond its buffer unless the height is a multiple of 16, and its code for SSE2 always: it crashes now and then
  // (FFmpeg 5.1).
  make("cfhd.mov", `${picture({ pixels: "yuv422p10le", size: "192x112" })} ${sound()} -c:v cfhd -cpuflags 0 ${pcm}`, {
    size: "192x112"
  }),
  av("svq1.mov", `-c:v svq1 -q:v 3 ${pcm}`, "yuv410p"),
  av("snow.avi", `-c:v snow -q:v 3 -strict -2 ${pcm}`),
  av("zmbv.avi", `-c:v zmbv ${pcm}`, "bgr0"),
  make("dv.avi", `${picture({ size: "720x576" })} ${sound()} -c:v dvvideo -aspect 4:3 ${pcm}`, { size: "768x576" })
]
