/**
 * The head of an index: the tracks without their samples, as JSON.
 */
import * as Schema from "effect/Schema"
import { Aac, Avc, Hevc } from "../../Codec.ts"
import { malformed } from "../../PackagingError.ts"
import type { PlannedTrack } from "../../SegmentPlan.ts"
import type { AudioTrack, VideoTrack } from "../../SourceIndex.ts"

const Bytes = Schema.Uint8ArrayFromBase64

const common = {
  name: Schema.String,
  record: Bytes,
  language: Schema.NullOr(Schema.String),
  timeScale: Schema.Int,
  start: Schema.Int,
  pause: Schema.Int,
  lead: Schema.Int
}

const picture = {
  lengthBytes: Schema.Int,
  width: Schema.Int,
  height: Schema.Int,
  pixelRatio: Schema.Tuple([Schema.Int, Schema.Int]),
  color: Schema.NullOr(Bytes)
}

const VideoHead = Schema.Struct({
  kind: Schema.Literal("video"),
  ...common,
  ...picture,
  sequenceParameters: Schema.Array(Bytes),
  pictureParameters: Schema.Array(Bytes)
})

/** Its parameters are in the record alone, since no segment repeats them. */
const HevcHead = Schema.Struct({ kind: Schema.Literal("hevc"), ...common, ...picture, boxes: Bytes })

const AudioHead = Schema.Struct({
  kind: Schema.Literal("audio"),
  ...common,
  frequencyIndex: Schema.Int,
  channelConfiguration: Schema.Int,
  channels: Schema.Int,
  sampleRate: Schema.Int
})

export type VideoHead = typeof VideoHead.Type | typeof HevcHead.Type
export type TrackHead = VideoHead | typeof AudioHead.Type

const Head = Schema.fromJsonString(
  Schema.Struct({
    sourceBytes: Schema.Int,
    /** Absent in indexes of earlier releases. */
    silentBytes: Schema.optionalKey(Schema.Int),
    isComposite: Schema.Boolean,
    count: Schema.Int,
    tracks: Schema.Array(Schema.Union([VideoHead, HevcHead, AudioHead]))
  })
)
export type Head = typeof Head.Type

const encodeHead = Schema.encodeSync(Head)
const decodeHead = Schema.decodeUnknownOption(Head)

export const encode = (head: Head): Uint8Array => new TextEncoder().encode(encodeHead(head))

export const decode = (bytes: Uint8Array): Head => {
  const decoded = decodeHead(new TextDecoder().decode(bytes))
  if (decoded._tag === "None") throw malformed("An index is damaged.")
  return decoded.value
}

/** Returns the head of a track. */
export const fromPlanned = ({ lead, track }: PlannedTrack<VideoTrack | AudioTrack>): TrackHead => {
  const { language, pause, start, timeScale } = track
  if (!("width" in track)) {
    const { channels, codec, sampleRate } = track
    const { channelConfiguration, frequencyIndex, name, record } = codec
    const format = { name, record, frequencyIndex, channelConfiguration, channels, sampleRate }
    return { kind: "audio", language, pause, start, timeScale, lead, ...format }
  }
  const { codec, color, height, pixelRatio, width } = track
  const { lengthBytes, name, record } = codec
  const shown = { language, pause, start, timeScale, lead, name, record, lengthBytes, width, height, pixelRatio, color }
  if (codec._tag === "Hevc") return { kind: "hevc", ...shown, boxes: codec.boxes }
  const { pictureParameters, sequenceParameters } = codec
  return { kind: "video", ...shown, sequenceParameters, pictureParameters }
}

const toCodec = (head: VideoHead): Avc | Hevc => {
  const { lengthBytes, name, record } = head
  if (head.kind === "hevc") {
    const none = { videoParameters: [], sequenceParameters: [], pictureParameters: [] }
    return Hevc({ name, record, lengthBytes, ...none, boxes: head.boxes, isWhole: true })
  }
  const { pictureParameters, sequenceParameters } = head
  return Avc({ name, record, lengthBytes, sequenceParameters, pictureParameters })
}

export const toVideo = (head: VideoHead): Omit<VideoTrack, "samples"> => {
  const { color, height, language, pause, pixelRatio, start, timeScale, width } = head
  return {
    codec: toCodec(head),
    language,
    timeScale,
    start,
    pause,
    shown: null,
    width,
    height,
    pixelRatio,
    isUpright: true,
    color
  }
}

export const toAudio = ({
  channels,
  language,
  pause,
  sampleRate,
  start,
  timeScale,
  ...codec
}: Extract<TrackHead, { readonly kind: "audio" }>): Omit<AudioTrack, "samples"> => {
  const { channelConfiguration, frequencyIndex, name, record } = codec
  return {
    codec: Aac({ name, record, frequencyIndex, channelConfiguration }),
    language,
    timeScale,
    start,
    pause,
    shown: null,
    channels,
    sampleRate
  }
}
