/**
 * What goes into a presentation: which stream of which input becomes which track, and how it is encoded.
 */
import type { ConversionPlan } from "@holdfast/core/transcoding/ConversionPlan"
import { maxFrameRate } from "@holdfast/core/transcoding/ConversionPlan"
import type { Rung } from "@holdfast/core/transcoding/Ladder"
import type { Presentation } from "@holdfast/core/transcoding/Presentation"
import type * as Options from "./Options.ts"

/** How fast the encoder of pictures is, and with how many threads. */
export interface Effort {
  readonly preset: string
  readonly threads: number
}

export interface Encode extends Effort {
  /** Bits a second. */
  readonly maxBitrate: number
}

/** The picture of one rendition. */
export interface Picture {
  /** For `-map`. */
  readonly map: string
  /** Undefined where it is copied. */
  readonly encode: Encode | undefined
}

export interface Sound {
  /** For `-map`. */
  readonly map: string
  /** Undefined where it is copied. */
  readonly encode: { readonly channels: number; readonly sampleRate: number; readonly bitrate: number } | undefined
}

export interface Tracks {
  readonly renditions: Presentation["renditions"]
  /** One for each rendition; none where there is sound only. */
  readonly pictures: ReadonlyArray<Picture>
  readonly sound: Sound | undefined
  /** For all outputs together: the filters between input and pictures. */
  readonly filters: Options.Options
}

/** Each frame keeps its own time, so that frames are left out where they come too fast but never repeated. */
const thin = `select='isnan(prev_selected_t)+gte(t-prev_selected_t\\,${(0.99 / maxFrameRate).toFixed(4)})'`

const scale = ({ height, width }: Rung): string => `scale=${width}:${height}:flags=bicubic,format=yuv420p,setsar=1`

/** The picture is decoded once, and split for the renditions. Turning it upright is ffmpeg's own default. */
const filterGraph = (video: ConversionPlan["video"] & { readonly _tag: "Encode" }): string => {
  const common = [
    ...(video.deinterlace ? ["bwdif=mode=send_frame:deint=interlaced"] : []),
    ...(video.thin ? [thin] : []),
    `split=${video.rungs.length}`
  ]
  const halves = video.rungs.map((_, index) => `[split${index}]`).join("")
  const scaled = video.rungs.map((rung, index) => `[split${index}]${scale(rung)}[picture${index}]`)
  return [`[0:${video.index}]${common.join(",")}${halves}`, ...scaled].join(";")
}

const picturesOf = ({ renditions, video }: ConversionPlan, effort: Effort): ReadonlyArray<Picture> => {
  if (video._tag === "None") return []
  return renditions.map((_, index) => {
    const rung = video._tag === "Encode" ? video.rungs[index] : undefined
    return rung === undefined
      ? { map: `0:${video.index}`, encode: undefined }
      : { map: `[picture${index}]`, encode: { ...effort, maxBitrate: rung.maxBitrate } }
  })
}

const soundOf = ({ audio }: ConversionPlan): Sound | undefined => {
  switch (audio._tag) {
    case "None":
      return undefined
    case "Copy":
      return { map: `0:${audio.index}`, encode: undefined }
    case "Encode":
      return { map: `0:${audio.index}`, encode: audio }
  }
}

/** The tracks by a plan, from input 0. */
export const fromPlan = (plan: ConversionPlan, effort: Effort): Tracks => ({
  renditions: plan.renditions,
  pictures: picturesOf(plan, effort),
  sound: soundOf(plan),
  filters:
    plan.video._tag === "Encode"
      ? { filter_complex_threads: effort.threads, filter_complex: filterGraph(plan.video) }
      : {}
})
