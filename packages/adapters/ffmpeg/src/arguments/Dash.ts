/**
 * The output of a DASH presentation, into the current directory: one adaptation set for the pictures, one for the sound.
 */
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as Encoding from "./Encoding.ts"
import * as Options from "./Options.ts"
import type { Tracks } from "./Tracks.ts"

/** A timeline with each segment's own length, since those of a copy differ. */
const muxer: Options.Options = {
  f: "dash",
  seg_duration: Encoding.segmentSeconds,
  use_template: 1,
  use_timeline: 1,
  init_seg_name: "init-$RepresentationID$.m4s",
  media_seg_name: "chunk-$RepresentationID$-$Number$.m4s",
  // What is copied from MPEG-TS would keep that container's tags, which MP4 refuses.
  "tag:v": "avc1",
  "tag:a": "mp4a"
}

const adaptationSets = ({ pictures, sound }: Tracks): string =>
  [...(pictures.length === 0 ? [] : ["v"]), ...(sound === undefined ? [] : ["a"])]
    .map((streams, id) => `id=${id},streams=${streams}`)
    .join(" ")

/**
 * Players switch between pictures of one shape only, and even sizes round it. So that it counts as one, each picture tells the
 * shape of the best.
 */
const shape = ({ renditions: [{ height, width }] }: Tracks): string | undefined =>
  width === null || height === null ? undefined : `${width}:${height}`

export const outputs = (tracks: Tracks): ReadonlyArray<string> => {
  const { filters, pictures, sound } = tracks
  return [
    ...Options.make(filters),
    ...pictures.flatMap((picture, index) =>
      Options.make({
        ...Encoding.picture(picture, `v:${index}`),
        [`aspect:v:${index}`]: pictures.length > 1 ? shape(tracks) : undefined
      })
    ),
    ...(sound === undefined ? [] : Options.make(Encoding.sound(sound))),
    ...Options.make({
      // In MP4 the sound's description stands once at the beginning, in MPEG-TS before each frame.
      "bsf:a": sound !== undefined && sound.encode === undefined ? "aac_adtstoasc" : undefined,
      ...Encoding.output,
      ...muxer,
      adaptation_sets: adaptationSets(tracks)
    }),
    StreamFiles.entry("dash")
  ]
}
