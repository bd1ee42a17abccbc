/**
 * Files that the fake transcoder accepts as media. Each is an empty MP4 for a detector of file types, and contains a
 * description of the media that it simulates.
 */
import type { Media } from "@holdfast/core/transcoding/Media"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const number = Schema.NullOr(Schema.Finite)
const text = Schema.NullOr(Schema.String)

const AudioDescription = Schema.Struct({
  index: Schema.Int,
  codec: Schema.String,
  profile: text,
  channels: Schema.Int,
  sampleRate: Schema.Int,
  bitrate: number,
  language: text,
  title: text,
  isTrimmed: Schema.Boolean
})

const MediaDescription = Schema.Struct({
  container: Schema.String,
  duration: number,
  durationDeclared: Schema.Boolean,
  bitrate: number,
  video: Schema.NullOr(
    Schema.Struct({
      index: Schema.Int,
      codec: Schema.String,
      profile: text,
      level: number,
      pixelFormat: text,
      color: Schema.Struct({ matrix: text, transfer: text, primaries: text, fullRange: Schema.Boolean }),
      width: Schema.Int,
      height: Schema.Int,
      rotation: Schema.Int,
      isMirrored: Schema.Boolean,
      squarePixels: Schema.Boolean,
      interlaced: Schema.Boolean,
      frameRate: number,
      isVariable: Schema.Boolean,
      bitrate: number,
      isTrimmed: Schema.Boolean,
      keyframeInterval: number
    })
  ),
  audio: Schema.NullOr(AudioDescription),
  otherAudio: Schema.Array(AudioDescription),
  captions: Schema.Array(Schema.Struct({ index: Schema.Int, language: text, title: text })),
  chapters: Schema.Array(Schema.Struct({ start: Schema.Finite, title: text }))
})

const Description = Schema.Struct({
  media: MediaDescription,
  /** Seconds after which the content is cut off; null if it is complete. */
  cutAfter: number
})

/** The simulated media of a file. */
type Description = typeof Description.Type

/** Ten seconds of 1280×720 video with audio, in codecs that all players support. */
export const playable: Media = {
  container: "mov,mp4,m4a,3gp,3g2,mj2",
  duration: 10,
  durationDeclared: true,
  bitrate: 2_600_000,
  video: {
    index: 0,
    codec: "h264",
    profile: "High",
    level: 31,
    pixelFormat: "yuv420p",
    color: { matrix: "bt709", transfer: "bt709", primaries: "bt709", fullRange: false },
    width: 1280,
    height: 720,
    rotation: 0,
    isMirrored: false,
    squarePixels: true,
    interlaced: false,
    frameRate: 25,
    isVariable: false,
    bitrate: 2_500_000,
    isTrimmed: false,
    keyframeInterval: 2
  },
  audio: {
    index: 1,
    codec: "aac",
    profile: "LC",
    channels: 2,
    sampleRate: 48_000,
    bitrate: 100_000,
    language: "en",
    title: null,
    isTrimmed: false
  },
  otherAudio: [],
  captions: [],
  chapters: []
}

/** The same media in codecs that have to be encoded. */
export const foreign: Media = {
  ...playable,
  container: "matroska,webm",
  video: playable.video === null ? null : { ...playable.video, codec: "vp9", profile: "Profile 0" },
  audio: playable.audio === null ? null : { ...playable.audio, codec: "opus", profile: null }
}

const json = Schema.fromJsonString(Description)
const encode = Schema.encodeSync(json)
const decode = Schema.decodeUnknownOption(json)

/** Makes an MP4 box (ISO/IEC 14496-12, 4.2). */
export const box = (type: string, payload: string): Uint8Array => {
  const bytes = Buffer.alloc(8 + Buffer.byteLength(payload))
  bytes.writeUInt32BE(bytes.length)
  bytes.write(type, 4, "latin1")
  bytes.write(payload, 8)
  return bytes
}

const head = box("ftyp", "isom\0\0\u0002\0isommp41")

/** Makes the content of a file; with `cutAfter`, one that is cut off after so many seconds. */
export const make = (media: Media, cutAfter: number | null = null): Uint8Array =>
  Buffer.concat([head, box("free", encode({ media, cutAfter })), box("mdat", "")])

/** Parses the description of a content; none for any other content. */
export const parse = (content: Uint8Array): Option.Option<Description> => {
  const bytes = Buffer.from(content)
  const at = head.length
  if (bytes.length < at + 8 || !bytes.subarray(0, at).equals(head)) return Option.none()
  return decode(bytes.subarray(at + 8, at + bytes.readUInt32BE(at)).toString())
}
