/**
 * The audio renditions of a presentation: one for each language, and for surround sound beside stereo.
 */
import * as Schema from "effect/Schema"
import type { Audio } from "./Media.ts"

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

/** Characters of a label. */
const maxLabel = 64

/** Codes with which files say that a track has no language, or no single one. */
const unspecified = new Set(["und", "mis", "mul", "zxx", "qaa"])

/** Returns a language code of a file (ISO 639-1, 639-2 or BCP 47) as BCP 47; null if it names no language. */
export const toLanguage = (code: string | undefined): string | null => {
  if (code === undefined || code.length > 35 || unspecified.has(code.toLowerCase())) return null
  try {
    return Intl.getCanonicalLocales(code)[0] ?? null
  } catch {
    return null
  }
}

/** Characters that would break a line of a playlist, or change how the text around them is shown (Unicode, UAX 9). */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}"]+/gu

/** Returns a title of a file without control characters and quotes, which playlists forbid; null if nothing remains. */
export const toTitle = (text: string | undefined): string | null => {
  const title = (text ?? "").toWellFormed().replace(unsafe, " ").trim().slice(0, maxLabel).toWellFormed().trim()
  return title === "" ? null : title
}

/** Returns a language's name in that language, with a capital letter; null if there is none. */
const languageName = (language: string): string | null => {
  const name = new Intl.DisplayNames([language], { type: "language", fallback: "none" }).of(language)
  return name === undefined ? null : name.charAt(0).toLocaleUpperCase(language) + name.slice(1)
}

/** Returns the renditions of tracks with these properties, in their order. */
export const fromTracks = (
  tracks: ReadonlyArray<Pick<Audio, "channels" | "language" | "title">>
): ReadonlyArray<AudioRendition> => {
  const labels = new Set<string>()
  return tracks.map(({ channels, language, title }, index) => {
    const name = title ?? (language === null ? null : languageName(language)) ?? `Audio ${index + 1}`
    const stem = channels > 2 ? `${name} 5.1` : name
    let label = stem
    for (let count = 2; labels.has(label); count++) label = `${stem} (${count})`
    labels.add(label)
    return { name: `audio${index}`, label, language, channels }
  })
}
