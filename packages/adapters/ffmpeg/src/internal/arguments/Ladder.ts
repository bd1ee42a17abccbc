/**
 * Arguments for the outputs of the lower renditions of a copy to the current directory: in HLS segments of MPEG-TS, in DASH of
 * fragmented MP4. The muxer of HLS writes both, because it ends a segment at each keyframe if it is asked to.
 */
import type { Media } from "@holdfast/core/transcoding/Media"
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as Encoding from "./Encoding.ts"
import * as Options from "./Options.ts"
import type { Tracks } from "./Tracks.ts"

const muxer: Options.Options = {
  f: "hls",
  // Every keyframe begins a segment.
  hls_time: Encoding.shortestSegment,
  hls_list_size: 0,
  hls_playlist_type: "event",
  hls_flags: "independent_segments+temp_file"
}

type Muxer = (name: string, firstTime: number | undefined) => Options.Options

const formats: { readonly [format in Format]: Muxer } = {
  hls: (name, firstTime) => ({
    hls_segment_type: "mpegts",
    hls_base_url: `${name}/`,
    hls_segment_filename: `${name}/index%d.ts`,
    muxdelay: 0,
    muxpreload: 0,
    ...(firstTime === undefined ? undefined : { avoid_negative_ts: "disabled", output_ts_offset: firstTime })
  }),
  dash: (name) => ({
    hls_segment_type: "fmp4",
    hls_fmp4_init_filename: StreamFiles.ladderInit({ name }),
    hls_base_url: `${name}/`,
    hls_segment_filename: `${name}/chunk%d.m4s`,
    start_number: 1,
    // The times of the frames are exactly those of the copy.
    avoid_negative_ts: "disabled"
  })
}

/**
 * Options of an output of fragmented MP4 whose times begin this many seconds later. The muxer writes them into the segments: it would write
 * them into an edit list otherwise, which players of segments ignore.
 */
export const laterBy = (seconds: number): Options.Options => ({
  output_ts_offset: seconds,
  hls_segment_options: "movflags=+frag_discont"
})

/**
 * An output of the audio that writes nothing, for a run whose outputs have none. Times of some containers, such as MPEG-TS, count from the
 * first packet of the tracks that are read: they have to be those that the copy has read.
 */
export const unwritten = ({ audio, otherAudio }: Pick<Media, "audio" | "otherAudio">): ReadonlyArray<string> =>
  audio === null
    ? []
    : [
        ...[audio, ...otherAudio].flatMap(({ index }) => Options.make({ map: `0:${index}` })),
        ...Options.make({ c: "copy", f: "null" }),
        "-"
      ]

export const outputs = (
  { audio, filters, presentation: { renditions }, video }: Tracks,
  format: Format,
  firstTime?: number,
  /** Options of each output. */
  others: Options.Options = {}
): ReadonlyArray<string> => [
  ...Options.make(filters),
  ...renditions.flatMap((rendition, index) => {
    const track = video[index]
    return [
      ...(track === undefined ? [] : Options.make(Encoding.video(track, "v"))),
      ...(audio === undefined ? [] : Options.make(Encoding.audio(audio, "a"))),
      ...Options.make({ ...Encoding.output, ...muxer, ...formats[format](rendition.name, firstTime), ...others }),
      StreamFiles.mediaPlaylist(rendition)
    ]
  })
]
