/**
 * Arguments for the output of a DASH presentation to the current directory: one adaptation set for the video, one for
 * each audio rendition.
 */
import type { AudioRendition } from "@holdfast/core/transcoding/AudioRendition"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as Encoding from "./Encoding.ts"
import * as Options from "./Options.ts"
import type { AudioTrack, Tracks } from "./Tracks.ts"

/** The timeline has the length of each segment, since the segments of a copied track differ in length. */
const muxer: Options.Options = {
  f: "dash",
  seg_duration: Encoding.segmentSeconds,
  use_template: 1,
  use_timeline: 1,
  init_seg_name: "init-$RepresentationID$.m4s",
  media_seg_name: "chunk-$RepresentationID$-$Number$.m4s",
  // A track that is copied from MPEG-TS would keep that container's codec tags, which MP4 rejects.
  "tag:v": "avc1"
}

/** Seconds. Segments of audio with this duration end with those of the video alone. */
const longestSegment = 1_000_000

/** One for the video, and one for each audio rendition, whose segments end with those of the video. */
const adaptationSets = ({ audio, cutsAtKeyframes, otherAudio, video }: Tracks, isShared: boolean): string => {
  const follows = isShared && video.length > 0 ? `seg_duration=${longestSegment},` : ""
  return [
    ...(video.length === 0 ? [] : [`${cutsAtKeyframes ? `seg_duration=${Encoding.shortestSegment},` : ""}streams=v`]),
    ...(audio === undefined ? [] : [`${follows}streams=${otherAudio.length === 0 ? "a" : video.length}`]),
    ...otherAudio.map((_, index) => `${follows}streams=${video.length + 1 + index}`)
  ]
    .map((set, id) => `id=${id},${set}`)
    .join(" ")
}

/** Names the codec. MP4 has the AAC configuration once, in its header; MPEG-TS has it before each frame. */
const inMp4 = (
  { encode }: AudioTrack,
  stream: string,
  codec: NonNullable<AudioRendition["codec"]> | "mp4a" = "mp4a"
): Options.Options => ({
  [`tag:${stream}`]: codec,
  [`bsf:${stream}`]: encode === undefined && codec === "mp4a" ? "aac_adtstoasc" : undefined
})

/** Options of each audio track, with its language in several. */
const audioOptions = ({ audio, otherAudio, presentation }: Tracks): ReadonlyArray<Options.Options> => {
  if (audio === undefined) return []
  if (otherAudio.length === 0) return [Encoding.audio(audio, "a"), inMp4(audio, "a")]
  return [audio, ...otherAudio].flatMap((track, index) => {
    const { codec, language = null } = presentation.audio?.[index] ?? {}
    const stream = `a:${index}`
    return [
      Encoding.audio(track, stream),
      inMp4(track, stream, codec),
      language === null ? {} : { [`metadata:s:${stream}`]: `language=${language}` }
    ]
  })
}

/**
 * Returns the aspect ratio of the best rendition for all renditions. Players switch only between renditions of one aspect
 * ratio, and rounding to even sizes changes it slightly.
 */
const aspectRatio = ({
  presentation: {
    renditions: [{ height, width }]
  }
}: Tracks): string | undefined => (width === null || height === null ? undefined : `${width}:${height}`)

/** With `isShared`, each segment of audio belongs to the segment of video with its number, however long that is. */
export const outputs = (tracks: Tracks, isShared = false): ReadonlyArray<string> => {
  const { filters, video } = tracks
  return [
    ...Options.make(filters),
    ...video.flatMap((track, index) =>
      Options.make({
        ...Encoding.video(track, `v:${index}`, { isRewritten: true }),
        [`aspect:v:${index}`]: video.length > 1 ? aspectRatio(tracks) : undefined
      })
    ),
    ...audioOptions(tracks).flatMap(Options.make),
    ...Options.make({
      ...Encoding.output,
      ...muxer,
      adaptation_sets: adaptationSets(tracks, isShared)
    }),
    StreamFiles.entry("dash")
  ]
}
