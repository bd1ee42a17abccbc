/**
 * The audio renditions of a presentation: one for each language, and for surround sound beside stereo.
 */
import * as Schema from "effect/Schema"
import type { Audio } from "./Media.ts"
import * as TrackLabels from "./TrackLabels.ts"

export const AudioRendition = Schema.Struct({
  /** `audio0`, `audio1`, …: unique in a presentation. The first one is the default, which all players can play. */
  name: Schema.String,
  /** For viewers, unique in a presentation: the track's title, or the name of its language in that language. */
  label: Schema.String,
  /** BCP 47; null if the file does not say. */
  language: Schema.NullOr(Schema.String),
  channels: Schema.Int
})
export type AudioRendition = typeof AudioRendition.Type

/** Returns the renditions of tracks with these properties, in their order. */
export const fromTracks = (
  tracks: ReadonlyArray<Pick<Audio, "channels" | "language" | "title">>
): ReadonlyArray<AudioRendition> => {
  const labels = TrackLabels.make(
    tracks.map(({ channels, language, title }) => ({ language, title, suffix: channels > 2 ? " 5.1" : "" })),
    "Audio"
  )
  return tracks.map(({ channels, language }, index) => ({
    name: `audio${index}`,
    label: labels[index] ?? "",
    language,
    channels
  }))
}
