/**
 * Decides, from what a file holds, what has to be encoded anew and what players take as it is.
 */
import * as Arr from "effect/Array"
import * as Data from "effect/Data"
import * as Ladder from "./Ladder.ts"
import type { Audio, Media, Video } from "./Media.ts"
import type { Rendition } from "./Presentation.ts"

/** `auto` copies what players take as it is; `transcode` encodes everything anew. */
export type Mode = "auto" | "transcode"

export type VideoPlan = Data.TaggedEnum<{
  None: {}
  Copy: { readonly index: number }
  Encode: {
    readonly index: number
    /** From the best down; as many as renditions. */
    readonly rungs: Arr.NonEmptyReadonlyArray<Ladder.Rung>
    readonly deinterlace: boolean
    /** Whether frames are dropped, to be at most `maxFrameRate`. */
    readonly thin: boolean
  }
}>
const VideoPlan = Data.taggedEnum<VideoPlan>()

export type AudioPlan = Data.TaggedEnum<{
  None: {}
  Copy: { readonly index: number }
  Encode: {
    readonly index: number
    readonly channels: number
    /** Samples a second. */
    readonly sampleRate: number
    /** Bits a second. */
    readonly bitrate: number
  }
}>
const AudioPlan = Data.taggedEnum<AudioPlan>()

export interface ConversionPlan {
  readonly video: VideoPlan
  readonly audio: AudioPlan
  /** From the best down. */
  readonly renditions: Arr.NonEmptyReadonlyArray<Rendition>
}

/** Frames a second that players and screens still show. */
export const maxFrameRate = 60

/** Seconds; a copied segment can only begin with a keyframe. */
const longestSegment = 20

const everyPlayer = {
  profiles: new Set(["Constrained Baseline", "Baseline", "Main", "High"]),
  pixelFormats: new Set(["yuv420p", "yuvj420p"]),
  level: 51
}

/** These keep no true time of each frame, and a copy needs it. */
const withoutTimes = new Set(["avi", "asf", "mpeg"])

const isCopyableVideo = (video: Video, container: string): boolean =>
  video.codec === "h264" &&
  everyPlayer.profiles.has(video.profile ?? "") &&
  everyPlayer.pixelFormats.has(video.pixelFormat ?? "") &&
  video.level !== null &&
  video.level <= everyPlayer.level &&
  video.rotation === 0 &&
  video.squarePixels &&
  !video.interlaced &&
  (video.keyframeInterval ?? 0) <= longestSegment &&
  !withoutTimes.has(container)

const isCopyableAudio = (audio: Audio): boolean =>
  audio.codec === "aac" && audio.profile === "LC" && audio.channels >= 1 && audio.channels <= 2

const planVideo = (video: Video | null, mode: Mode, container: string): VideoPlan => {
  if (video === null) return VideoPlan.None()
  if (mode === "auto" && isCopyableVideo(video, container)) return VideoPlan.Copy({ index: video.index })
  return VideoPlan.Encode({
    index: video.index,
    rungs: Ladder.rungs(video),
    deinterlace: video.interlaced,
    thin: (video.frameRate ?? 0) > maxFrameRate * 1.01
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

const nameOf = ({ height, width }: Ladder.Size): string => `${Math.min(width, height)}p`

const planRenditions = (media: Media, video: VideoPlan, audio: AudioPlan): ConversionPlan["renditions"] => {
  const sound = audioBitrate(audio, media.audio)
  if (media.video === null) return [{ name: "audio", width: null, height: null, frameRate: null, bitrate: sound }]
  const { bitrate, frameRate, height, width } = media.video
  if (video._tag !== "Encode") {
    const picture = bitrate ?? Math.max((media.bitrate ?? 0) - sound, 0)
    return [{ name: nameOf({ width, height }), width, height, frameRate, bitrate: picture + sound }]
  }
  return Arr.map(video.rungs, (rung) => ({
    name: nameOf(rung),
    width: rung.width,
    height: rung.height,
    frameRate: frameRate === null ? null : Math.min(frameRate, maxFrameRate),
    bitrate: rung.maxBitrate + sound
  }))
}

/** Whether every track is taken as it is. */
export const isCopy = ({ audio, video }: Pick<ConversionPlan, "audio" | "video">): boolean =>
  video._tag !== "Encode" && audio._tag !== "Encode"

/**
 * The plan for a file.
 *
 * - H.264 that every player takes is copied (8 bits, 4:2:0, progressive, upright, square pixels, at most level 5.1), and so
 *   is AAC-LC of one or two channels.
 * - Another picture is encoded in up to three sizes (`Ladder`), never larger than it is, upright, with 8 bits and at most 60
 *   frames a second, each at its own time. Another sound becomes AAC-LC of at most two channels.
 * - A file without a picture makes one rendition of sound, one without sound renditions of the picture alone.
 */
export const make = (media: Media, mode: Mode): ConversionPlan => {
  const video = planVideo(media.video, mode, media.container)
  const audio = planAudio(media.audio, mode)
  return { video, audio, renditions: planRenditions(media, video, audio) }
}
