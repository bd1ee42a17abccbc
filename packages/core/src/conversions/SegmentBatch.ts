/**
 * In which steps a backlog of segments becomes public, and how much of a playlist does with each: what is copied is
 * made much faster than it is stored, and nobody has to wait for more than the beginning.
 */
import * as Arr from "effect/Array"

/** Segments that become public in one step. */
const batch = 32

const numberIn = (name: string): number => Number(/(\d+)\.\w+$/.exec(name)?.[1] ?? 0)

/** The steps, at least one: in the order of playing over all renditions, and a small one first where a viewer waits for it. */
export const steps = (
  names: ReadonlyArray<string>,
  first: number | undefined
): ReadonlyArray<ReadonlyArray<string>> => {
  if (names.length === 0) return [[]]
  const ordered = names.toSorted((one, other) => numberIn(one) - numberIn(other))
  const beginning = first === undefined ? [] : ordered.slice(0, first)
  return [beginning, ...Arr.chunksOf(ordered.slice(beginning.length), batch)].filter((step) => step.length > 0)
}

/**
 * The beginning of an HLS media playlist (RFC 8216, section 4.3.3) up to the first segment that is not public; undefined where
 * nothing would be left, and for what is no such playlist.
 */
export const beginning = (text: string, isPublic: (name: string) => boolean): string | undefined => {
  const lines = text.split("\n")
  const addresses = lines.flatMap((line, index) => (line === "" || line.startsWith("#") ? [] : [index]))
  if (!text.includes("#EXTINF:")) return undefined
  const missing = addresses.findIndex((index) => !isPublic(lines[index] ?? ""))
  if (missing < 0) return text
  const last = addresses[missing - 1]
  return last === undefined ? undefined : `${lines.slice(0, last + 1).join("\n")}\n`
}
