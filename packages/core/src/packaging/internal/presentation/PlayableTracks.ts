/**
 * Chooses the tracks of a file that are packaged. Refuses a file from which a transcoder would make more than these, or would encode
 * one of them (`transcoding/ConversionPlan`).
 */
import { PackagingError, unsupported } from "../../PackagingError.ts"
import type { Avc } from "../../Codec.ts"
import type { AudioTrack, SourceIndex, VideoTrack } from "../../SourceIndex.ts"
import * as SequenceParameters from "../h264/SequenceParameters.ts"

export interface PlayableVideo extends VideoTrack {
  readonly codec: Avc
}

export interface PlayableTracks {
  readonly video: PlayableVideo | null
  readonly audio: AudioTrack | null
}

/** Tracks that no player shows: time codes, metadata, and hints for servers. */
const ignored = new Set(["tmcd", "meta", "hint"])

/** Baseline, Main and High, up to level 5.1. */
const profiles = new Set([66, 77, 100])
const maxLevel = 51

/** Channels of audio that all players support. */
const maxChannels = 2

/** PQ and HLG (ITU-T H.273, 8.2), which H.264 of 8 bits cannot show. */
const highDynamicRange = new Set([16, 18])

/** Where a box `colr` of type `nclx` has the transfer characteristics. */
const transferAt = 6

/** Returns the transfer characteristics that a box `colr` of type `nclx` states. */
const transferOf = (color: Uint8Array): number => ((color[transferAt] ?? 0) << 8) | (color[transferAt + 1] ?? 0)

const isHdr = (transfer: number | null): boolean => transfer !== null && highDynamicRange.has(transfer)

const checkVideo = (track: VideoTrack): PlayableVideo => {
  const { codec, color, isUpright, pixelRatio } = track
  if (codec._tag !== "Avc" || !codec.name.startsWith("avc1")) throw unsupported("The video is not H.264.")
  const [parameters, ...others] = codec.sequenceParameters.map(SequenceParameters.parse)
  if (parameters === undefined || others.length > 0) throw unsupported("The video changes its parameters.")
  const { bitDepth, chromaFormat, hasSquarePixels, height, isProgressive, level, profile, transfer, width } = parameters
  const isPlayable =
    profiles.has(profile) &&
    level <= maxLevel &&
    chromaFormat === 1 &&
    bitDepth === 8 &&
    isProgressive &&
    isUpright &&
    hasSquarePixels &&
    pixelRatio[0] === pixelRatio[1] &&
    !isHdr(transfer) &&
    !isHdr(color === null ? null : transferOf(color))
  if (!isPlayable) throw unsupported("Not all players support the video.")
  if (width <= 0 || height <= 0) throw new PackagingError({ reason: "Malformed", detail: "The video has no size." })
  return { ...track, codec, width, height }
}

/** Returns the tracks. Throws if the file has others, or if not all players support them. */
export const choose = ({ ac3, audio, others, video }: SourceIndex): PlayableTracks => {
  const [picture, ...pictures] = video
  const [sound, ...sounds] = audio
  if (pictures.length > 0 || sounds.length > 0 || ac3.length > 0 || others.some((type) => !ignored.has(type))) {
    throw unsupported("The file has tracks beside one of video and one of audio.")
  }
  if (sound !== undefined && sound.channels > maxChannels) throw unsupported("The audio has more than two channels.")
  return { video: picture === undefined ? null : checkVideo(picture), audio: sound ?? null }
}
