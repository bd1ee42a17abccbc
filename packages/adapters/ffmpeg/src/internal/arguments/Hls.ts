/**
 * Arguments for the outputs of an HLS presentation to the current directory, one for each rendition.
 */
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as Encoding from "./Encoding.ts"
import * as Options from "./Options.ts"
import type { AudioTrack, Tracks, VideoTrack } from "./Tracks.ts"

/** A segment gets its name when it is complete; then ffmpeg adds it to the playlist. */
const muxer = (cutsAtKeyframes: boolean): Options.Options => ({
  f: "hls",
  hls_time: cutsAtKeyframes ? Encoding.shortestSegment : Encoding.segmentSeconds,
  hls_list_size: 0,
  hls_playlist_type: "event",
  hls_flags: "independent_segments+temp_file",
  hls_segment_type: "mpegts",
  muxdelay: 0,
  muxpreload: 0
})

const output = (
  video: VideoTrack | undefined,
  audio: AudioTrack | undefined,
  { playlist, prefix }: Pick<StreamFiles.HlsRendition, "playlist" | "prefix">,
  cutsAtKeyframes: boolean
): ReadonlyArray<string> => [
  ...(video === undefined ? [] : Options.make(Encoding.video(video, "v"))),
  ...(audio === undefined ? [] : Options.make(Encoding.audio(audio, "a"))),
  ...Options.make({
    ...Encoding.output,
    ...muxer(cutsAtKeyframes),
    hls_base_url: prefix === "" ? undefined : prefix,
    hls_segment_filename: `${prefix}index%d.ts`
  }),
  playlist
]

export const outputs = (tracks: Tracks): ReadonlyArray<string> => {
  const { audio, cutsAtKeyframes, filters, otherAudio, presentation, video } = tracks
  return [
    ...Options.make(filters),
    ...StreamFiles.hlsRenditions(presentation).flatMap((files, index) =>
      output(video[index], audio, files, cutsAtKeyframes)
    ),
    ...StreamFiles.hlsAudio(presentation).flatMap((files, index) => output(undefined, otherAudio[index], files, false))
  ]
}
