/**
 * The audio renditions of a presentation: one for each language, and for surround sound beside stereo.
 *
 * Surround sound in AC-3 or E-AC-3 has a rendition of AAC, which browsers play, and a copy of its own.
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
  channels: Schema.Int,
  /** Of a copy that not all players support (RFC 6381). Absent for AAC. */
  codec: Schema.optionalKey(Schema.Literals(["ac-3", "ec-3"]))
})
export type AudioRendition = typeof AudioRendition.Type

/** Names of the codecs for viewers. */
const names = { "ac-3": "AC-3", "ec-3": "E-AC-3" }

type Described = Pick<Audio, "channels" | "language" | "title"> & { readonly codec?: AudioRendition["codec"] }

const suffixOf = ({ channels, codec }: Described): string => {
  const layout = channels > 6 ? " 7.1" : channels > 2 ? " 5.1" : ""
  return codec === undefined ? layout : `${layout} ${names[codec]}`
}

/** Returns the renditions of tracks with these properties, in their order. */
export const fromTracks = (tracks: ReadonlyArray<Described>): ReadonlyArray<AudioRendition> => {
  const labels = TrackLabels.make(
    tracks.map((track) => ({ language: track.language, title: track.title, suffix: suffixOf(track) })),
    "Audio"
  )
  return tracks.map(({ channels, codec, language }, index) => ({
    name: `audio${index}`,
    label: labels[index] ?? "",
    language,
    channels,
    ...(codec === undefined ? undefined : { codec })
  }))
}
