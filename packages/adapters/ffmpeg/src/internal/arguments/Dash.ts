/**
 * Arguments for the output of a DASH presentation to the current directory: one adaptation set for the video, one for the
 * audio.
 */
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as Encoding from "./Encoding.ts"
import * as Options from "./Options.ts"
import type { Tracks } from "./Tracks.ts"

/** The timeline has the length of each segment, since the segments of a copied track differ in length. */
const muxer: Options.Options = {
  f: "dash",
  seg_duration: Encoding.segmentSeconds,
  use_template: 1,
  use_timeline: 1,
  init_seg_name: "init-$RepresentationID$.m4s",
  media_seg_name: "chunk-$RepresentationID$-$Number$.m4s",
  // A track that is copied from MPEG-TS would keep that container's codec tags, which MP4 rejects.
  "tag:v": "avc1",
  "tag:a": "mp4a"
}

const adaptationSets = ({ audio, video }: Tracks): string =>
  [...(video.length === 0 ? [] : ["v"]), ...(audio === undefined ? [] : ["a"])]
    .map((streams, id) => `id=${id},streams=${streams}`)
    .join(" ")

/**
 * Returns the aspect ratio of the best rendition for all renditions. Players switch only between renditions of one aspect
 * ratio, and rounding to even sizes changes it slightly.
 */
const aspectRatio = ({ renditions: [{ height, width }] }: Tracks): string | undefined =>
  width === null || height === null ? undefined : `${width}:${height}`

export const outputs = (tracks: Tracks): ReadonlyArray<string> => {
  const { audio, filters, video } = tracks
  return [
    ...Options.make(filters),
    ...video.flatMap((track, index) =>
      Options.make({
        ...Encoding.video(track, `v:${index}`),
        [`aspect:v:${index}`]: video.length > 1 ? aspectRatio(tracks) : undefined
      })
    ),
    ...(audio === undefined ? [] : Options.make(Encoding.audio(audio))),
    ...Options.make({
      // MP4 has the AAC configuration once, in its header; MPEG-TS has it before each frame.
      "bsf:a": audio !== undefined && audio.encode === undefined ? "aac_adtstoasc" : undefined,
      ...Encoding.output,
      ...muxer,
      adaptation_sets: adaptationSets(tracks)
    }),
    StreamFiles.entry("dash")
  ]
}
