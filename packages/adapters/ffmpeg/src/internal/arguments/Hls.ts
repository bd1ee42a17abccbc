/**
 * Arguments for the outputs of an HLS presentation to the current directory, one for each rendition.
 */
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as Encoding from "./Encoding.ts"
import * as Options from "./Options.ts"
import type { Tracks } from "./Tracks.ts"

/** A segment gets its name when it is complete; then ffmpeg adds it to the playlist. */
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

const output = (
  { audio, video }: Tracks,
  { playlist, prefix }: StreamFiles.HlsRendition,
  index: number
): ReadonlyArray<string> => {
  const track = video[index]
  return [
    ...(track === undefined ? [] : Options.make(Encoding.video(track, "v"))),
    ...(audio === undefined ? [] : Options.make(Encoding.audio(audio))),
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
  ...StreamFiles.hlsRenditions(tracks.renditions).flatMap((rendition, index) => output(tracks, rendition, index))
]
