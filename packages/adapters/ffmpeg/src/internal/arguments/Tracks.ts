/**
 * The tracks of a presentation: which input stream becomes which track, and how it is encoded.
 */
import * as Color from "@holdfast/core/transcoding/Color"
import type { CaptionRendition } from "@holdfast/core/transcoding/CaptionRendition"
import type { AudioPlan, ConversionPlan, Timing } from "@holdfast/core/transcoding/ConversionPlan"
import { maxFrameRate, toRenditions } from "@holdfast/core/transcoding/ConversionPlan"
import type { Rung } from "@holdfast/core/transcoding/Ladder"
import type { Presentation } from "@holdfast/core/transcoding/Presentation"
import * as Colors from "./Colors.ts"
import type * as Options from "./Options.ts"

/** Settings of the video encoder. The preset is that of H.264. */
interface EncoderSettings {
  readonly preset: string
  readonly threads: number
  /** Seconds: the only frames that become keyframes beside the first one. Default: one at every beginning of a segment. */
  readonly keyframes?: ReadonlyArray<number> | undefined
  /** Default: `h264`. */
  readonly codec?: "av1" | "h264" | undefined
  /** Whether the bitrate has no maximum. Default: false. */
  readonly isUnlimited?: boolean | undefined
}

export interface VideoEncoding extends EncoderSettings {
  readonly timing: Timing
  /** Bits per second. */
  readonly maxBitrate: number
}

/** The video of one rendition. */
export interface VideoTrack {
  /** Value of the option `-map`. */
  readonly map: string
  /** Undefined for a copy. */
  readonly encode: VideoEncoding | undefined
}

export interface AudioTrack {
  /** Value of the option `-map`. */
  readonly map: string
  /** Undefined for a copy. */
  readonly encode: { readonly channels: number; readonly sampleRate: number; readonly bitrate: number } | undefined
}

export interface Tracks {
  /** What the tracks become. */
  readonly presentation: Pick<Presentation, "audio" | "captions" | "renditions">
  /** One for each rendition; none for audio alone. */
  readonly video: ReadonlyArray<VideoTrack>
  /** The default audio. */
  readonly audio: AudioTrack | undefined
  readonly otherAudio: ReadonlyArray<AudioTrack>
  /** The tracks of text that become captions. */
  readonly captions: ReadonlyArray<{ readonly map: string; readonly rendition: CaptionRendition }>
  /** Whether each keyframe of the video begins a segment, as those of encoded video do. */
  readonly cutsAtKeyframes: boolean
  /** The filters between the input and all video tracks. */
  readonly filters: Options.Options
}

/**
 * Drops frames above the maximum rate. Each frame keeps its own time; no frame is repeated. Two timestamps that are rounded to the time base
 * (`TB`, a millisecond in Matroska) may be nearer to each other than their frames by one unit of it. With no tolerance for that, 120 frames
 * per second became 40. A coarse time base gets no more than a millisecond: one of 1/120 s would let all of the 120 pass.
 */
const dropFrames = `select='isnan(prev_selected_t)+gte(t-prev_selected_t\\,1/${maxFrameRate}-clip(TB\\,0.0002\\,0.001))'`

const size = ({ height, width }: Rung): string => `scale=${width}:${height}:flags=bicubic`

/** Decodes the video once and splits it for the renditions. ffmpeg turns it upright by default. */
const filterGraph = (video: ConversionPlan["video"] & { readonly _tag: "Encode" }): string => {
  const { color } = video
  const scale = (rung: Rung) =>
    `${size(rung)}:${Colors.scaleOptions(color)},format=yuv420p,${Colors.after(color)},setsar=1`
  const common = [
    ...(video.deinterlace ? ["bwdif=mode=send_frame:deint=interlaced"] : []),
    ...(video.limitFrameRate ? [dropFrames] : []),
    // The conversion takes time by the pixel: the best rendition may have a quarter of the source's.
    ...(Color.isWide(color) ? [size(video.rungs[0])] : []),
    ...Colors.before(color),
    `split=${video.rungs.length}`
  ]
  const copies = video.rungs.map((_, index) => `[split${index}]`).join("")
  const scaled = video.rungs.map((rung, index) => `[split${index}]${scale(rung)}[picture${index}]`)
  return [`[0:${video.index}]${common.join(",")}${copies}`, ...scaled].join(";")
}

const toVideoTracks = ({ renditions, video }: ConversionPlan, settings: EncoderSettings): ReadonlyArray<VideoTrack> => {
  if (video._tag === "None") return []
  return renditions.map((_, index) => {
    const rung = video._tag === "Encode" ? video.rungs[index] : undefined
    return video._tag === "Copy" || rung === undefined
      ? { map: `0:${video.index}`, encode: undefined }
      : {
          map: `[picture${index}]`,
          encode: { ...settings, maxBitrate: rung.maxBitrate, timing: video.timing }
        }
  })
}

const toAudioTrack = (plan: Exclude<AudioPlan, { readonly _tag: "None" }>): AudioTrack => ({
  map: `0:${plan.index}`,
  encode: plan._tag === "Copy" ? undefined : plan
})

/** Returns the tracks of a plan, from input 0. */
export const fromPlan = (plan: ConversionPlan, settings: EncoderSettings): Tracks => ({
  presentation: toRenditions(plan),
  video: toVideoTracks(plan, settings),
  audio: plan.audio._tag === "None" ? undefined : toAudioTrack(plan.audio),
  otherAudio: plan.otherAudio.map((other) => toAudioTrack(other.plan)),
  captions: plan.captions.map(({ index, rendition }) => ({ map: `0:${index}`, rendition })),
  cutsAtKeyframes: plan.video._tag === "Encode",
  filters:
    plan.video._tag === "Encode"
      ? { filter_complex_threads: settings.threads, filter_complex: filterGraph(plan.video) }
      : {}
})
