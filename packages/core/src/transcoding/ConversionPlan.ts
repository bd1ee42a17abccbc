/**
 * Decides which tracks of a file are copied and which are encoded.
 */
import * as Arr from "effect/Array"
import * as Data from "effect/Data"
import * as Color from "./Color.ts"
import * as Ladder from "./Ladder.ts"
import type { Audio, Media, Video } from "./Media.ts"
import type { Format, Presentation, Rendition } from "./Presentation.ts"

/** `auto` copies tracks that all players support and encodes the others; `transcode` encodes all tracks. */
export type Mode = "auto" | "transcode"

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

export interface ConversionPlan {
  readonly video: VideoPlan
  readonly audio: AudioPlan
  /** The best first. */
  readonly renditions: Arr.NonEmptyReadonlyArray<Rendition>
}

/** Frames per second. The highest rate that players and screens show. */
export const maxFrameRate = 60

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
  video.squarePixels &&
  !video.interlaced &&
  !video.isTrimmed &&
  (video.keyframeInterval ?? 0) <= longestSegment &&
  !withoutFrameTimes.has(container)

const isCopyableAudio = (audio: Audio): boolean =>
  audio.codec === "aac" && audio.profile === "LC" && audio.channels >= 1 && audio.channels <= 2 && !audio.isTrimmed

const planVideo = (video: Video | null, mode: Mode, container: string): VideoPlan => {
  if (video === null) return VideoPlan.None()
  if (mode === "auto" && isCopyableVideo(video, container)) return VideoPlan.Copy({ index: video.index })
  return VideoPlan.Encode({
    index: video.index,
    rungs: Ladder.rungs(video),
    deinterlace: video.interlaced,
    color: Color.assume(video.color, video),
    limitFrameRate: (video.frameRate ?? 0) > maxFrameRate * 1.01
  })
}

const planAudio = (audio: Audio | null, mode: Mode): AudioPlan => {
  if (audio === null) return AudioPlan.None()
  if (mode === "auto" && isCopyableAudio(audio)) return AudioPlan.Copy({ index: audio.index })
  const channels = Math.min(Math.max(audio.channels, 1), 2)
  return AudioPlan.Encode({
    index: audio.index,
    channels,
    sampleRate: audio.sampleRate === 44_100 ? 44_100 : 48_000,
    bitrate: channels * 64_000
  })
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

/** Whether all tracks are copied. */
const isCopy = ({ audio, video }: ConversionPlan): boolean => video._tag !== "Encode" && audio._tag !== "Encode"

/**
 * Returns the plan for a file.
 *
 * - H.264 that all players support is copied (8 bits, 4:2:0, no HDR, progressive, upright, square pixels, at most level 5.1),
 *   and so is AAC-LC of one or two channels.
 * - Other video is encoded in up to three sizes (`Ladder`), never larger than the source: upright, 8 bits, at most 60 frames
 *   per second, each frame at its own time. HDR and other colours beyond BT.709 become BT.709. Other audio is encoded as AAC-LC
 *   of at most two channels.
 * - A file without video has one rendition of audio. A file without audio has renditions of the video alone.
 */
export const make = (media: Media, mode: Mode): ConversionPlan => {
  const video = planVideo(media.video, mode, media.container)
  const audio = planAudio(media.audio, mode)
  return { video, audio, renditions: planRenditions(media, video, audio) }
}

/** Returns the presentation that a plan leads to, as expected before the conversion runs. */
export const toPresentation = (plan: ConversionPlan, { duration }: Media, format: Format): Presentation => ({
  format,
  duration,
  hasVideo: plan.video._tag !== "None",
  hasAudio: plan.audio._tag !== "None",
  isCopy: isCopy(plan),
  renditions: plan.renditions
})
