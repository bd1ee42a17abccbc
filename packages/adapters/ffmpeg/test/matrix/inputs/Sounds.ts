/**
 * Audio codecs, layouts and sample rates, alone and beside a video.
 */
import { aac, h264, type Input, make, picture, type Sound, sound } from "../Input.ts"

const alone = (name: string, options: string, what: Sound = {}): Input =>
  make(name, `${sound(what)} ${options}`, { size: undefined })

const beside = (name: string, options: string, what: Sound = {}): Input =>
  make(name, `${picture()} ${sound(what)} ${h264} ${options}`)

export const inputs: ReadonlyArray<Input> = [
  alone("sound.mp3", "-c:a libmp3lame"),
  alone("sound-vbr.mp3", "-c:a libmp3lame -q:a 4 -write_xing 0"),
  alone("sound.m4a", aac),
  alone("sound.aac", `${aac} -f adts`),
  alone("sound.flac", "-c:a flac"),
  alone("sound.wav", "-c:a pcm_s16le"),
  alone("sound-u8.wav", "-c:a pcm_u8", { rate: 11_025, layout: "mono" }),
  alone("sound-s24.wav", "-c:a pcm_s24le", { rate: 96_000 }),
  alone("sound-float.wav", "-c:a pcm_f32le", { rate: 192_000 }),
  alone("sound-alaw.wav", "-c:a pcm_alaw", { rate: 8000, layout: "mono" }),
  alone("sound-mulaw.wav", "-c:a pcm_mulaw", { rate: 8000, layout: "mono" }),
  alone("sound-adpcm.wav", "-c:a adpcm_ima_wav", { rate: 44_100 }),
  alone("sound-adpcm-ms.wav", "-c:a adpcm_ms", { rate: 22_050 }),
  alone("sound.ogg", "-c:a libvorbis"),
  alone("sound.opus", "-c:a libopus"),
  alone("speex.ogg", "-c:a libspeex", { rate: 16_000, layout: "mono" }),
  alone("sound.webm", "-c:a libopus"),
  alone("sound.mka", "-c:a ac3"),
  alone("sound.wma", "-c:a wmav2"),
  alone("alac.m4a", "-c:a alac"),
  alone("surround.m4a", aac, { layout: "5.1" }),
  alone("surround.flac", "-c:a flac", { layout: "5.1" }),
  beside("mono.mp4", aac, { layout: "mono" }),
  beside("surround.mp4", aac, { layout: "5.1" }),
  beside("surround-8.mkv", "-c:a flac", { layout: "7.1" }),
  beside("surround-ac3.mkv", "-c:a ac3", { layout: "5.1" }),
  beside("surround-eac3.mp4", "-c:a eac3", { layout: "5.1" }),
  beside("ac3.ts", "-c:a ac3"),
  beside("dts.mkv", "-c:a dca -strict -2"),
  beside("truehd.mkv", "-c:a truehd -strict -2"),
  beside("mp2.ts", "-c:a mp2"),
  beside("mp3.mp4", "-c:a libmp3lame"),
  beside("opus.mp4", "-c:a libopus"),
  beside("opus-surround.mkv", "-c:a libopus -mapping_family 1", { layout: "5.1" }),
  beside("flac.mp4", "-c:a flac -strict -2"),
  beside("alac.mov", "-c:a alac"),
  beside("pcm.mov", "-c:a pcm_s16be"),
  beside("pcm24.mkv", "-c:a pcm_s24le"),
  beside("nellymoser.flv", "-c:a nellymoser -ac 1", { rate: 44_100, layout: "mono" }),
  beside("latm.ts", `${aac} -mpegts_flags +latm`),
  ...[8000, 11_025, 16_000, 22_050, 32_000, 44_100, 96_000].map((rate) => beside(`rate-${rate}.mp4`, aac, { rate }))
]
