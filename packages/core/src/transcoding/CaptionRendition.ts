/**
 * The captions of a presentation: one WebVTT file for each track of text.
 */
import * as Schema from "effect/Schema"
import type { Captions } from "./Media.ts"
import * as TrackLabels from "./TrackLabels.ts"

export const CaptionRendition = Schema.Struct({
  /** `captions0`, `captions1`, …: unique in a presentation. */
  name: Schema.String,
  /** For viewers, unique among the captions. */
  label: Schema.String,
  /** BCP 47; null if the file does not say. */
  language: Schema.NullOr(Schema.String)
})
export type CaptionRendition = typeof CaptionRendition.Type

/** Returns the renditions of tracks, in their order. */
export const fromTracks = (tracks: ReadonlyArray<Captions>): ReadonlyArray<CaptionRendition> => {
  const labels = TrackLabels.make(tracks, "Captions")
  return tracks.map(({ language }, index) => ({ name: `captions${index}`, label: labels[index] ?? "", language }))
}
