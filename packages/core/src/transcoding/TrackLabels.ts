/**
 * Languages and labels of audio tracks and captions.
 */

/** Characters of a label. */
const maxLabel = 64

/** Codes with which files say that a track has no language, or no single one. */
const unspecified = new Set(["und", "mis", "mul", "zxx", "qaa"])

/**
 * Returns a language code of a file (ISO 639-1, 639-2 or BCP 47) as BCP 47; null if it names no language. Extensions and private
 * subtags are left out: `Intl.DisplayNames` throws for them.
 */
export const toLanguage = (code: string | undefined): string | null => {
  if (code === undefined || code.length > 35) return null
  try {
    const { baseName } = new Intl.Locale(code)
    return unspecified.has(baseName.replace(/-.*/, "")) ? null : baseName
  } catch {
    return null
  }
}

/** Characters that break a line, or change how the text around them is shown (Unicode, UAX 9). */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu

/** Returns a title of a file as one short line; null if nothing remains. */
export const toLine = (text: string | undefined): string | null => {
  const line = (text ?? "")
    .toWellFormed()
    .replace(unsafe, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, maxLabel)
    .toWellFormed()
    .trim()
  return line === "" ? null : line
}

/** Returns the same without quotes, which playlists forbid. */
export const toTitle = (text: string | undefined): string | null => toLine(text?.replaceAll('"', " "))

/** Returns a language's name in that language, with a capital letter; null if there is none. */
export const languageName = (language: string): string | null => {
  const name = new Intl.DisplayNames([language], { type: "language", fallback: "none" }).of(language)
  return name === undefined ? null : name.charAt(0).toLocaleUpperCase(language) + name.slice(1)
}

/** Adds a label to others, with a number if they have it. Returns what was added. */
const addLabel = (labels: Set<string>, stem: string): string => {
  let label = stem
  for (let count = 2; labels.has(label); count++) label = `${stem} (${count})`
  labels.add(label)
  return label
}

/** Returns labels for tracks, each different: the title, or the name of the language, or `fallback` with a number. */
export const make = (
  tracks: ReadonlyArray<{ readonly language: string | null; readonly title: string | null; readonly suffix?: string }>,
  fallback: string
): ReadonlyArray<string> => {
  const labels = new Set<string>()
  return tracks.map(({ language, suffix = "", title }, index) => {
    const name = title ?? (language === null ? null : languageName(language)) ?? `${fallback} ${index + 1}`
    return addLabel(labels, `${name}${suffix}`)
  })
}

/** Returns tracks whose labels are different from each other and from those that are `taken`. */
export const distinguish = <Track extends { readonly rendition: { readonly label: string } }>(
  tracks: ReadonlyArray<Track>,
  taken: ReadonlyArray<string>
): ReadonlyArray<Track> => {
  const labels = new Set(taken)
  return tracks.map((track) => ({
    ...track,
    rendition: { ...track.rendition, label: addLabel(labels, track.rendition.label) }
  }))
}
