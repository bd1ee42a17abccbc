/**
 * Splits pending segments into batches, and cuts playlists to the segments of the batches published so far. Copying a track
 * makes segments much faster than the blob store takes them, and a player can start as soon as the first ones are public.
 */
import * as Arr from "effect/Array"

/** Segments that are published in one step. */
const batchSize = 32

const numberIn = (name: string): number => Number(/(\d+)\.\w+$/.exec(name)?.[1] ?? 0)

/**
 * Splits segments into batches in playing order, over all renditions. Returns at least one batch, which is empty if there
 * are no segments. `firstSize` is the size of a smaller first batch, for a conversion that cannot be played yet.
 */
export const split = (
  names: ReadonlyArray<string>,
  firstSize: number | undefined
): ReadonlyArray<ReadonlyArray<string>> => {
  if (names.length === 0) return [[]]
  const ordered = names.toSorted((one, other) => numberIn(one) - numberIn(other))
  const first = firstSize === undefined ? [] : ordered.slice(0, firstSize)
  return [first, ...Arr.chunksOf(ordered.slice(first.length), batchSize)].filter((batch) => batch.length > 0)
}

/**
 * Returns an HLS media playlist (RFC 8216, section 4.3.3) up to the first segment that is not public. Undefined if the first
 * segment is not public, and for a text that is no media playlist.
 */
export const publicPrefix = (text: string, isPublic: (name: string) => boolean): string | undefined => {
  const lines = text.split("\n")
  const uriLines = lines.flatMap((line, index) => (line === "" || line.startsWith("#") ? [] : [index]))
  if (!text.includes("#EXTINF:")) return undefined
  const missing = uriLines.findIndex((index) => !isPublic(lines[index] ?? ""))
  if (missing < 0) return text
  const last = uriLines[missing - 1]
  return last === undefined ? undefined : `${lines.slice(0, last + 1).join("\n")}\n`
}
