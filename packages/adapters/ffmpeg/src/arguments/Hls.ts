/**
 * The outputs of an HLS presentation: one for each rendition, into the current directory.
 */
import type { Presentation, Rendition } from "@holdfast/core/transcoding/Presentation"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as Arr from "effect/Array"
import * as Encoding from "./Encoding.ts"
import * as Options from "./Options.ts"
import type { Tracks } from "./Tracks.ts"

/** Where one rendition's playlist and segments are. */
export interface Place {
  readonly rendition: Rendition
  readonly playlist: string
  /** Of its segments' names. */
  readonly prefix: string
}

/** The places of the renditions. A single one's playlist is what players ask for first. */
export const places = (renditions: Presentation["renditions"]): Arr.NonEmptyReadonlyArray<Place> =>
  Arr.map(renditions, (rendition, index) => ({
    rendition,
    playlist: renditions.length === 1 ? StreamFiles.entry("hls") : StreamFiles.mediaPlaylist(rendition),
    prefix: StreamFiles.segmentPrefix(rendition, index === 0)
  }))

/** A segment gets its name when it is whole, and then the playlist grows by it. */
const muxer: Options.Options = {
  f: "hls",
  hls_time: Encoding.segmentSeconds,
  hls_list_size: 0,
  hls_playlist_type: "event",
  hls_flags: "independent_segments+temp_file",
  hls_segment_type: "mpegts",
  muxdelay: 0,
  muxpreload: 0
}

const output = ({ pictures, sound }: Tracks, { playlist, prefix }: Place, index: number): ReadonlyArray<string> => {
  const picture = pictures[index]
  return [
    ...(picture === undefined ? [] : Options.make(Encoding.picture(picture, "v"))),
    ...(sound === undefined ? [] : Options.make(Encoding.sound(sound))),
    ...Options.make({
      ...Encoding.output,
      ...muxer,
      hls_base_url: prefix === "" ? undefined : prefix,
      hls_segment_filename: `${prefix}index%d.ts`
    }),
    playlist
  ]
}

export const outputs = (tracks: Tracks): ReadonlyArray<string> => [
  ...Options.make(tracks.filters),
  ...places(tracks.renditions).flatMap((place, index) => output(tracks, place, index))
]
