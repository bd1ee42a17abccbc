/**
 * Adds the H.265 of a content to the playlists and the manifest of its encoded video.
 */
import type { AudioRendition } from "../transcoding/AudioRendition.ts"
import * as HevcFiles from "../transcoding/hevc/HevcFiles.ts"
import * as MultivariantPlaylist from "../transcoding/MultivariantPlaylist.ts"
import type { HevcRendition, Presentation, Rendition } from "../transcoding/Presentation.ts"
import * as StreamFiles from "../transcoding/StreamFiles.ts"
import * as MediaPlaylist from "./internal/presentation/MediaPlaylist.ts"

/** A representation of DASH, as its manifest describes it. */
export interface Representation {
  /** Seconds of each segment. */
  readonly durations: ReadonlyArray<number>
  /** Bits per second at most. */
  readonly bandwidth: number
  readonly codec: string
}

/** An audio rendition. */
export interface StoredAudio extends Representation {
  readonly rendition: AudioRendition
}

const entries = /<S(?: t="\d+")? d="(\d+)"(?: r="(\d+)")?/g

/** Finds a representation in a manifest; undefined if there is none with segments. */
export const findRepresentation = (manifest: string, id: number): Representation | undefined => {
  const pattern = new RegExp(`<Representation id="${id}"([^>]*)>([\\s\\S]*?)</Representation>`)
  const [, attributes = "", body = ""] = pattern.exec(manifest) ?? []
  const [, timescale = ""] = /<SegmentTemplate [^>]*?timescale="(\d+)"/.exec(body) ?? []
  const durations = [...body.matchAll(entries)].flatMap(([, ticks, repeat = "0"]) =>
    Array.from({ length: Number(repeat) + 1 }, () => Number(ticks) / Number(timescale))
  )
  const [, bandwidth = "0"] = / bandwidth="(\d+)"/.exec(attributes) ?? []
  const [, codec = ""] = / codecs="([^"]*)"/.exec(attributes) ?? []
  return durations.length === 0 || codec === "" ? undefined : { durations, codec, bandwidth: Number(bandwidth) }
}

/** Returns the multivariant playlist over the only rendition of a presentation. */
export const overOnly = ({ renditions: [rendition] }: Pick<Presentation, "renditions">): string =>
  MultivariantPlaylist.render([
    {
      rendition,
      uri: StreamFiles.mediaPlaylist(rendition),
      peakBitrate: rendition.peakBitrate ?? rendition.bitrate,
      codecs: rendition.codecs ?? []
    }
  ])

/** What joins the playlists of HLS. */
export interface HlsAddition {
  readonly hevc: HevcRendition
  readonly playlist: string
  /** The default first. */
  readonly audio: ReadonlyArray<StoredAudio>
}

/** Returns a rendition with its audio. */
export const withAudio = <A extends Rendition>(rendition: A, audio: ReadonlyArray<StoredAudio>): A => {
  const beside = Math.max(0, ...audio.map(({ bandwidth }) => bandwidth))
  const codecs = new Set([...(rendition.codecs ?? []), ...audio.map(({ codec }) => codec)])
  return {
    ...rendition,
    bitrate: rendition.bitrate + beside,
    peakBitrate: (rendition.peakBitrate ?? rendition.bitrate) + beside,
    codecs: [...codecs]
  }
}

/** Returns the group of the audio beside H.265 or AV1, by its name. */
export const audioGroup = (video: string, audio: ReadonlyArray<StoredAudio>): MultivariantPlaylist.AudioGroup => ({
  id: video,
  codec: undefined,
  audio: audio.map(({ rendition }, order) => ({ rendition, uri: `${HevcFiles.audioName(order, video)}.m3u8` }))
})

/** Returns the playlists of that group. */
export const audioPlaylists = (
  video: string,
  audio: ReadonlyArray<StoredAudio>
): ReadonlyArray<readonly [name: string, text: string]> =>
  audio.map(({ durations }, order) => {
    const folder = HevcFiles.audioName(order, video)
    return [`${folder}.m3u8`, MediaPlaylist.renderFragments(durations, folder)]
  })

/** Returns the playlists of HLS that change, and those that are new, given the multivariant playlist. */
export const joinHls = (multivariant: string, addition: HlsAddition): ReadonlyMap<string, string> => {
  const { audio, playlist } = addition
  const { range, ...rendition } = withAudio(addition.hevc, audio)
  const text = MultivariantPlaylist.addVariant(multivariant, {
    rendition,
    uri: HevcFiles.playlist,
    peakBitrate: rendition.peakBitrate ?? rendition.bitrate,
    codecs: rendition.codecs ?? [],
    audio: audioGroup(HevcFiles.name, audio),
    range
  })
  return new Map([
    [HevcFiles.playlist, playlist],
    ...audioPlaylists(HevcFiles.name, audio),
    [StreamFiles.entry("hls"), text]
  ])
}
