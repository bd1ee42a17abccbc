/**
 * The stored audio of a shared presentation, which plays beside video in fragmented MP4.
 */
import * as Effect from "effect/Effect"
import type { Presentation } from "../transcoding/Presentation.ts"
import * as HevcPlaylists from "./HevcPlaylists.ts"
import type { PackagingError } from "./PackagingError.ts"
import * as SharedTracks from "./SharedTracks.ts"

/** What the transcoder has written of a shared presentation. */
export interface Encoded {
  readonly presentation: Presentation
  readonly tracks: SharedTracks.SharedTracks
  /** The manifest of DASH. */
  readonly manifest: string
}

/** Returns the audio of the presentation, the default first. */
export const of = ({
  manifest,
  presentation,
  tracks
}: Encoded): Effect.Effect<ReadonlyArray<HevcPlaylists.StoredAudio>, PackagingError> => {
  const count = presentation.hasAudio ? (presentation.audio?.length ?? 1) : 0
  return Effect.forEach(Array.from({ length: count }).keys(), (order) =>
    Effect.map(
      SharedTracks.toFragment<never>(tracks, order, undefined, () => undefined),
      (fragment): ReadonlyArray<HevcPlaylists.StoredAudio> => {
        const representation = SharedTracks.audioRepresentation(tracks.renditions, order)
        const rendition = presentation.audio?.[order]
        // The video has one group of audio, which all players of the video have to support.
        const isCopy = rendition?.codec !== undefined
        if (fragment === undefined || representation === undefined || isCopy) return []
        const only = { name: "audio0", label: "Audio", language: null, channels: fragment.channels }
        const found = HevcPlaylists.findRepresentation(manifest, representation)
        return found === undefined ? [] : [{ ...found, rendition: rendition ?? only }]
      }
    )
  ).pipe(Effect.map((all) => all.flat()))
}
