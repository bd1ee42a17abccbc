/**
 * Adds AV1 that was encoded behind a shared presentation to its playlists and its manifest.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Av1Files from "../transcoding/av1/Av1Files.ts"
import * as HevcFiles from "../transcoding/hevc/HevcFiles.ts"
import * as LadderPlaylists from "../transcoding/LadderPlaylists.ts"
import * as AdaptationSets from "../transcoding/manifest/AdaptationSets.ts"
import * as MultivariantPlaylist from "../transcoding/MultivariantPlaylist.ts"
import type { Rendition } from "../transcoding/Presentation.ts"
import * as StreamFiles from "../transcoding/StreamFiles.ts"
import * as HevcPlaylists from "./HevcPlaylists.ts"
import * as MediaPlaylist from "./internal/presentation/MediaPlaylist.ts"
import type * as SharedTracks from "./SharedTracks.ts"
import * as StoredAudio from "./StoredAudio.ts"
import * as TransportStream from "./TransportStream.ts"

/** Seconds: the time in the segments of HLS, and in those of AV1, at which a shared presentation begins. */
export const firstTime = ({ delay }: Pick<SharedTracks.SharedTracks, "delay">): number =>
  TransportStream.firstTime + delay

/** Returns how long the segments of the video of a shared presentation last, in seconds. */
export const durations = ({ playlists, presentation }: LadderPlaylists.Copy): ReadonlyArray<number> =>
  LadderPlaylists.durations({ presentation: { ...presentation, format: "dash" }, playlists })

/** Returns the multivariant playlist, and the playlist of the only rendition if that was in its place. */
const multivariantOf = ({ playlists, presentation }: LadderPlaylists.Copy) => {
  const entry = playlists.get(StreamFiles.entry("hls")) ?? ""
  return MultivariantPlaylist.isMultivariant(entry)
    ? { text: entry, media: [] }
    : {
        text: HevcPlaylists.overOnly(presentation),
        media: [[StreamFiles.mediaPlaylist(presentation.renditions[0]), entry] as const]
      }
}

/** Playlists that change and those that are new, and the renditions with their audio. */
export interface Joined {
  readonly playlists: ReadonlyMap<string, string>
  readonly renditions: Arr.NonEmptyReadonlyArray<Rendition>
}

/** Joins renditions, the best first, whose segments are as long as those of the presentation. */
export const join = Effect.fnUntraced(function* (
  shared: LadderPlaylists.Copy,
  tracks: SharedTracks.SharedTracks,
  renditions: Arr.NonEmptyReadonlyArray<Rendition>
) {
  const { playlists, presentation } = shared
  const manifest = playlists.get(StreamFiles.entry("dash")) ?? ""
  const audio = yield* StoredAudio.of({ presentation, tracks, manifest })
  // H.265 has the same audio already.
  const beside = presentation.hevc === undefined ? Av1Files.name : HevcFiles.name
  const group = HevcPlaylists.audioGroup(beside, audio)
  const lengths = durations(shared)
  const whole = Arr.map(renditions, (rendition) => HevcPlaylists.withAudio(rendition, audio))
  const { media, text } = multivariantOf(shared)
  const multivariant = whole.reduce(
    (joined, rendition) =>
      MultivariantPlaylist.addVariant(joined, {
        rendition,
        uri: StreamFiles.mediaPlaylist(rendition),
        peakBitrate: rendition.peakBitrate ?? rendition.bitrate,
        codecs: rendition.codecs ?? [],
        audio: group
      }),
    text
  )
  const described = AdaptationSets.add(manifest, (id) =>
    LadderPlaylists.adaptationSet(shared, renditions, firstTime(tracks), id)
  )
  const joined: Joined = {
    renditions: whole,
    playlists: new Map([
      ...media,
      ...renditions.map(
        (rendition) =>
          [StreamFiles.mediaPlaylist(rendition), MediaPlaylist.renderFragments(lengths, rendition.name)] as const
      ),
      ...(presentation.hevc === undefined ? HevcPlaylists.audioPlaylists(beside, audio) : []),
      [StreamFiles.entry("hls"), multivariant],
      [StreamFiles.entry("dash"), described]
    ])
  }
  return joined
})
