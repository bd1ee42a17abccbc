/**
 * Compares the name of an unknown field or option with those that are known.
 */

/** The most characters of a name that are compared: the name may be as long as a request. */
const maxCompared = 64

/** The shortest name that counts as similar to a longer one because that begins or ends with it, such as `origins` to `allowedOrigins`. */
const minPart = 5

/** The shortest first word that makes names similar, such as `max` of `maxViews` and `maxDownloads`. */
const minWord = 3

/** Letter case, `_` and `-` do not matter: a client may write `allowed_origins`. */
const normalize = (name: string): string => name.slice(0, maxCompared).toLowerCase().replaceAll(/[_-]/g, "")

/** The largest distance of similar names: most short words are within two steps of another one, such as `key` and `may`. */
const maxDistance = (known: string): number => (known.length < 3 ? 0 : known.length < 6 ? 1 : 2)

/** Returns how many insertions, removals, exchanges and transpositions of neighbours make one name of another. */
const distance = (a: string, b: string): number => {
  let former: ReadonlyArray<number> = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let at = 0; at < a.length; at++) {
    const next = [at + 1]
    for (let index = 1; index <= b.length; index++) {
      const exchange = (row[index - 1] ?? 0) + (a[at] === b[index - 1] ? 0 : 1)
      const isTransposed = at > 0 && index > 1 && a[at] === b[index - 2] && a[at - 1] === b[index - 1]
      const transposition = isTransposed ? (former[index - 2] ?? 0) + 1 : Infinity
      next.push(Math.min(exchange, transposition, (row[index] ?? 0) + 1, (next[index - 1] ?? 0) + 1))
    }
    former = row
    row = next
  }
  return row[b.length] ?? 0
}

const isPart = (part: string, whole: string): boolean =>
  part.length >= minPart && (whole.startsWith(part) || whole.endsWith(part))

/** Returns the first of several words of a name in lower case; undefined for a single word, and for ids: `bucketName` is not meant as `bucketId`. */
const firstWord = (name: string): string | undefined =>
  name.endsWith("Id") ? undefined : /^([a-z]+)(?:[A-Z]|[_-]+[A-Za-z])/.exec(name.slice(0, maxCompared))?.[1]

/** Whether names are the same but for letter case, `_` and `-`. */
const isEqual = (name: string, known: string): boolean => normalize(name) === normalize(known)

const isMisspelt = (name: string, known: string): boolean => {
  const a = normalize(name)
  const b = normalize(known)
  const isNear = Math.abs(a.length - b.length) <= maxDistance(b) && distance(a, b) <= maxDistance(b)
  return isNear || isPart(a, b) || isPart(b, a)
}

const hasSameWord = (name: string, known: string): boolean => {
  const word = firstWord(name)
  return word !== undefined && word.length >= minWord && word === firstWord(known)
}

/** The likelier ones first. */
const resemblances = [isEqual, isMisspelt, hasSameWord]

/** Returns the known name that an unknown one resembles most likely; undefined for none. */
export const find = (name: string, known: ReadonlyArray<string>): string | undefined => {
  for (const resembles of resemblances) {
    const similar = known.find((other) => resembles(name, other))
    if (similar !== undefined) return similar
  }
  return undefined
}

/** Returns the detail of the fault of a name that is not known and resembles this one. */
export const similarDetail = (similar: string): string => `is not known; did you mean ${similar}?`

/** Returns the detail of the fault of an unknown name. */
export const unknownDetail = (name: string, known: ReadonlyArray<string>): string => {
  const similar = find(name, known)
  return similar === undefined ? `is not known; known are ${known.join(", ")}` : similarDetail(similar)
}
