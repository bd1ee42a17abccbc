/**
 * Decides which tracks of a file are copied and which are encoded.
 */
import * as Arr from "effect/Array"
import * as Data from "effect/Data"
import * as AudioRendition from "./AudioRendition.ts"
import * as CaptionRendition from "./CaptionRendition.ts"
import * as Color from "./Color.ts"
import * as Ladder from "./Ladder.ts"
import type { Audio, Media, Video } from "./Media.ts"
import type { Format, Presentation, Rendition } from "./Presentation.ts"

/** `auto` copies tracks that all players support and encodes the others; `transcode` encodes all tracks. */
export type RequestedMode = "auto" | "transcode"

/** `encodeAudio` encodes all audio, and otherwise does what `auto` does. */
export type Mode = RequestedMode | "encodeAudio"

/**
 * How far apart frames are.
 *
 * - `even`: the encoder may use B-frames, which are decoded after a frame that is shown later.
 * - `variable`: there are no B-frames. The time by which a frame is decoded early would be as long as one is shown.
 * - `rare`: the encoder does not wait for later frames either, as audio would have to wait with it.
 */
export type Timing = "even" | "variable" | "rare"

export type VideoPlan = Data.TaggedEnum<{
  None: {}
  Copy: { readonly index: number }
  Encode: {
    readonly index: number
    /** The best first; one for each rendition. */
    readonly rungs: Arr.NonEmptyReadonlyArray<Ladder.Rung>
    readonly deinterlace: boolean
    /** The colours of the source. */
    readonly color: Color.KnownColor
    /** Whether frames are dropped to keep the frame rate at `maxFrameRate` or below. */
    readonly limitFrameRate: boolean
    readonly timing: Timing
  }
}>
const VideoPlan = Data.taggedEnum<VideoPlan>()

export type AudioPlan = Data.TaggedEnum<{
  None: {}
  Copy: { readonly index: number }
  Encode: {
    readonly index: number
    readonly channels: number
    /** Samples per second. */
    readonly sampleRate: number
    /** Bits per second. */
    readonly bitrate: number
  }
}>
const AudioPlan = Data.taggedEnum<AudioPlan>()

/** An audio rendition beside the default: of another track, or of one with surround sound. */
export interface OtherAudio {
  readonly plan: Exclude<AudioPlan, { readonly _tag: "None" }>
  readonly rendition: AudioRendition.AudioRendition
}

/** Captions of a track of text. */
export interface CaptionPlan {
  readonly index: number
  readonly rendition: CaptionRendition.CaptionRendition
}

export interface ConversionPlan {
  readonly video: VideoPlan
  /** The default: in stereo, or with one channel. */
  readonly audio: AudioPlan
  /** Null if there is no other audio. */
  readonly defaultAudio: AudioRendition.AudioRendition | null
  readonly otherAudio: ReadonlyArray<OtherAudio>
  readonly captions: ReadonlyArray<CaptionPlan>
  /** The best first. */
  readonly renditions: Arr.NonEmptyReadonlyArray<Rendition>
}

/** Frames per second. The highest rate that players and screens show. */
export const maxFrameRate = 60

/** Frames per second, below which frames are rare. At 4, with three B-frames, the audio of the first segment would end before it begins. */
const rareFrames = 10

const toTiming = ({ frameRate, isVariable }: Video): Timing =>
  frameRate !== null && frameRate < rareFrames ? "rare" : isVariable ? "variable" : "even"

/** Seconds. A segment of a copied track begins at a keyframe, so that it is as long as the keyframe interval. */
export const longestSegment = 20

/** H.264 that all players support. */
const supportedH264 = {
  profiles: new Set(["Constrained Baseline", "Baseline", "Main", "High"]),
  pixelFormats: new Set(["yuv420p", "yuvj420p"]),
  level: 51
}

/** Containers that do not store the exact time of each frame, which a copy needs. */
const withoutFrameTimes = new Set(["avi", "asf", "mpeg"])

const isCopyableVideo = (video: Video, container: string): boolean =>
  video.codec === "h264" &&
  supportedH264.profiles.has(video.profile ?? "") &&
  supportedH264.pixelFormats.has(video.pixelFormat ?? "") &&
  !Color.isHdr(video.color) &&
  video.level !== null &&
  video.level <= supportedH264.level &&
  video.rotation === 0 &&
  !video.isMirrored &&
  video.squarePixels &&
  !video.interlaced &&
  !video.isTrimmed &&
  (video.keyframeInterval ?? 0) <= longestSegment &&
  !withoutFrameTimes.has(container)

/** Channels of surround sound (5.1). Tracks with fewer channels become stereo, those with more have some mixed. */
const surround = 6

/** Renditions of audio, at most. Each takes processor time and storage. */
const maxAudio = 12

const isCopyableAudio = (audio: Audio, channels: number): boolean =>
  audio.codec === "aac" &&
  audio.profile === "LC" &&
  (channels === surround ? audio.channels === surround : audio.channels >= 1 && audio.channels <= 2) &&
  !audio.isTrimmed

const planVideo = ({ bitrate, container, video }: Media, mode: Mode, lines?: number): VideoPlan => {
  if (video === null) return VideoPlan.None()
  if (mode !== "transcode" && isCopyableVideo(video, container)) return VideoPlan.Copy({ index: video.index })
  return VideoPlan.Encode({
    index: video.index,
    rungs: Ladder.rungs({ ...video, bitrate: video.bitrate ?? bitrate }, lines),
    deinterlace: video.interlaced,
    color: Color.assume(video.color, video),
    limitFrameRate: (video.frameRate ?? 0) > maxFrameRate * 1.01,
    timing: toTiming(video)
  })
}

const planTrack = (audio: Audio, mode: Mode, maxChannels: number): OtherAudio["plan"] => {
  if (mode === "auto" && isCopyableAudio(audio, maxChannels)) return AudioPlan.Copy({ index: audio.index })
  const channels = Math.min(Math.max(audio.channels, 1), maxChannels)
  return AudioPlan.Encode({
    index: audio.index,
    channels,
    sampleRate: audio.sampleRate === 44_100 ? 44_100 : 48_000,
    bitrate: channels * 64_000
  })
}

const planAudio = (audio: Audio | null, mode: Mode): AudioPlan =>
  audio === null ? AudioPlan.None() : planTrack(audio, mode, 2)

/** FFmpeg's names of the codecs of surround sound that are copied. */
const surroundCodecs: ReadonlyMap<string, NonNullable<AudioRendition.AudioRendition["codec"]>> = new Map([
  ["ac3", "ac-3"],
  ["eac3", "ec-3"]
])

/** What a rendition of a track has. With a codec, it is a copy beside the others. */
type Sound = Pick<AudioRendition.AudioRendition, "channels" | "codec">

/** Returns the renditions of a track. */
const soundsOf = ({ channels, codec: sourceCodec, isTrimmed }: Audio, mode: Mode): ReadonlyArray<Sound> => {
  if (channels < surround) return [{ channels: Math.min(channels, 2) }]
  const codec = mode === "auto" && !isTrimmed ? surroundCodecs.get(sourceCodec) : undefined
  return [{ channels: 2 }, { channels: surround }, ...(codec === undefined ? [] : [{ channels, codec }])]
}

/** Plans the audio beside the default: surround sound of the same track, then the other tracks. */
const planOtherAudio = (
  { audio, otherAudio }: Media,
  mode: Mode
): Pick<ConversionPlan, "defaultAudio" | "otherAudio"> => {
  const none = { defaultAudio: null, otherAudio: [] }
  if (audio === null) return none
  const all = [audio, ...otherAudio]
    .flatMap((track) => soundsOf(track, mode).map((sound) => ({ track, sound })))
    .slice(0, maxAudio)
  const [defaultAudio, ...renditions] = AudioRendition.fromTracks(
    all.map(({ sound, track: { language, title } }) => ({ ...sound, language, title }))
  )
  if (defaultAudio === undefined || renditions.length === 0) return none
  const others = all.slice(1).flatMap(({ sound: { channels, codec }, track }, index) => {
    const rendition = renditions[index]
    if (rendition === undefined) return []
    const plan =
      codec === undefined ? planTrack(track, mode, Math.max(channels, 2)) : AudioPlan.Copy({ index: track.index })
    return [{ plan, rendition }]
  })
  return { defaultAudio, otherAudio: others }
}

const audioBitrate = (plan: AudioPlan, audio: Audio | null): number =>
  plan._tag === "Encode" ? plan.bitrate : plan._tag === "Copy" ? (audio?.bitrate ?? 128_000) : 0

const renditionName = ({ height, width }: Ladder.Size): string => `${Math.min(width, height)}p`

const planRenditions = (media: Media, video: VideoPlan, audio: AudioPlan): ConversionPlan["renditions"] => {
  const soundBitrate = audioBitrate(audio, media.audio)
  if (media.video === null)
    return [{ name: "audio", width: null, height: null, frameRate: null, bitrate: soundBitrate }]
  const { bitrate, frameRate, height, width } = media.video
  if (video._tag !== "Encode") {
    const pictureBitrate = bitrate ?? Math.max((media.bitrate ?? 0) - soundBitrate, 0)
    return [
      { name: renditionName({ width, height }), width, height, frameRate, bitrate: pictureBitrate + soundBitrate }
    ]
  }
  return Arr.map(video.rungs, (rung) => ({
    name: renditionName(rung),
    width: rung.width,
    height: rung.height,
    frameRate: frameRate === null ? null : Math.min(frameRate, maxFrameRate),
    bitrate: rung.maxBitrate + soundBitrate
  }))
}

/** Captions, at most. */
const maxCaptions = 40

const planCaptions = ({ captions, video }: Media): ReadonlyArray<CaptionPlan> => {
  // Sound alone has no picture in which a player shows captions.
  const tracks = video === null ? [] : captions.slice(0, maxCaptions)
  return CaptionRendition.fromTracks(tracks).map((rendition, order) => ({
    index: tracks[order]?.index ?? 0,
    rendition
  }))
}

/** Whether all tracks are copied. */
const isCopy = ({ audio, otherAudio, video }: ConversionPlan): boolean =>
  video._tag !== "Encode" && audio._tag !== "Encode" && otherAudio.every(({ plan }) => plan._tag === "Copy")

/**
 * Returns the plan for a file.
 *
 * - H.264 that all players support is copied (8 bits, 4:2:0, no HDR, progressive, upright, square pixels, at most level 5.1),
 *   and so is AAC-LC of one or two channels.
 * - Other video is encoded in several sizes (`Ladder`), never larger than the source or than `lines`: upright, 8 bits, at most 60 frames
 *   per second, each frame at its own time. HDR and other colours beyond BT.709 become BT.709. Other audio is encoded as AAC-LC
 *   of at most two channels.
 * - Each other audio track becomes a rendition of its own. A track with surround sound becomes two: in stereo, which all players
 *   support, and in six channels (5.1). AC-3 and E-AC-3 are copied beside these.
 * - Each track of text becomes captions in WebVTT.
 * - A file without video has one rendition of audio. A file without audio has renditions of the video alone.
 */
export const make = (media: Media, mode: Mode, lines?: number): ConversionPlan => {
  const video = planVideo(media, mode, lines)
  const audio = planAudio(media.audio, mode)
  return {
    video,
    audio,
    ...planOtherAudio(media, mode),
    captions: planCaptions(media),
    renditions: planRenditions(media, video, audio)
  }
}

/**
 * Returns the plan for the lower renditions of a copy: the video in these sizes. HLS has the default audio in each of them, as in the
 * copy.
 */
export const ladder = (media: Media, rungs: Arr.NonEmptyReadonlyArray<Ladder.Rung>, format: Format): ConversionPlan => {
  const whole = planVideo(media, "transcode")
  const video = whole._tag === "Encode" ? { ...whole, rungs } : whole
  const audio = format === "hls" ? planAudio(media.audio, "auto") : AudioPlan.None()
  return {
    video,
    audio,
    defaultAudio: null,
    otherAudio: [],
    captions: [],
    renditions: planRenditions(media, video, audio)
  }
}

/** Returns a plan with the bitrates for a video that needs this many in its best size (`Ladder.fitTo`); the same if unknown. */
export const fitTo = (plan: ConversionPlan, media: Media, bitrate: number | undefined): ConversionPlan => {
  const { audio, video } = plan
  if (bitrate === undefined || video._tag !== "Encode") return plan
  const fitted = { ...video, rungs: Ladder.fitTo(video.rungs, bitrate, media.video?.bitrate ?? media.bitrate) }
  return { ...plan, video: fitted, renditions: planRenditions(media, fitted, audio) }
}

/** Returns all renditions of a plan. */
export const toRenditions = ({
  captions,
  defaultAudio,
  otherAudio,
  renditions
}: ConversionPlan): Pick<Presentation, "audio" | "captions" | "renditions"> => ({
  ...(defaultAudio === null ? undefined : { audio: [defaultAudio, ...otherAudio.map(({ rendition }) => rendition)] }),
  ...(captions.length === 0 ? undefined : { captions: captions.map(({ rendition }) => rendition) }),
  renditions
})

/** Returns the presentation that a plan leads to, as expected before the conversion runs. */
export const toPresentation = (plan: ConversionPlan, { chapters, duration }: Media, format: Format): Presentation => ({
  format,
  duration,
  hasVideo: plan.video._tag !== "None",
  hasAudio: plan.audio._tag !== "None",
  isCopy: isCopy(plan),
  ...(chapters.length === 0 ? undefined : { chapters }),
  ...toRenditions(plan)
})
