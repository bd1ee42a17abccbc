/**
 * Compares the name of an unknown field or option with those that are known.
 */

/** The most characters of a name that are compared: the name may be as long as a request. */
const maxCompared = 64

/** The largest number of insertions, removals and exchanges that make one name of another, for a suggestion. */
const maxDistance = 2

/** The shortest name that counts as similar to a longer one because that begins or ends with it, such as `origins` to `allowedOrigins`. */
const minPart = 5

/** Letter case, `_` and `-` do not matter: a client may write `allowed_origins`. */
const normalize = (name: string): string => name.slice(0, maxCompared).toLowerCase().replaceAll(/[_-]/g, "")

const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [at, character] of [...a].entries()) {
    const next = [at + 1]
    for (let index = 1; index <= b.length; index++) {
      const exchange = (row[index - 1] ?? 0) + (character === b[index - 1] ? 0 : 1)
      next.push(Math.min(exchange, (row[index] ?? 0) + 1, (next[index - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

const isPart = (part: string, whole: string): boolean =>
  part.length >= minPart && (whole.startsWith(part) || whole.endsWith(part))

const isSimilar = (a: string, b: string): boolean => distance(a, b) <= maxDistance || isPart(a, b) || isPart(b, a)

/** Returns the known name that an unknown one resembles most likely; undefined for none. */
export const find = (name: string, known: ReadonlyArray<string>): string | undefined => {
  const normal = normalize(name)
  return known.find((other) => isSimilar(normal, normalize(other)))
}

/** Returns the detail of the fault of an unknown name. */
export const unknownDetail = (name: string, known: ReadonlyArray<string>): string => {
  const similar = find(name, known)
  return similar === undefined
    ? `is not known; known are ${known.join(", ")}`
    : `is not known; did you mean ${similar}?`
}
