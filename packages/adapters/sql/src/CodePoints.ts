/**
 * The order of texts by code point, which is the order of their UTF-8 bytes and the one that both databases keep. It
 * differs from JavaScript's own: an emoji comes after U+FFFD here, but before it by UTF-16 units.
 */

/** A surrogate belongs to a code point above all others of one unit. */
const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit)

/** Negative, zero or positive, as `a` comes before, with or after `b`. */
export const compare = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return rank(x) - rank(y)
  }
  return a.length - b.length
}

/**
 * The first text after all that begin with a prefix, undefined when there is none: the last code point that can grow
 * grows by one, and what follows it goes.
 */
export const successor = (prefix: string): string | undefined => {
  const points = Array.from(prefix)
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const point = last.codePointAt(0) ?? 0
    if (point < 0x10ffff) {
      const next = point >= 0xd7ff && point <= 0xdfff ? 0xe000 : point + 1
      return points.join("") + String.fromCodePoint(next)
    }
  }
  return undefined
}

/**
 * The text that a position is compared by. A forged cursor may hold what no database does: NUL comes before
 * everything, so that a position with one is passed by the same texts as what stands before it.
 */
export const comparable = (text: string): string => {
  const nul = text.indexOf("\0")
  return (nul < 0 ? text : text.slice(0, nul)).toWellFormed()
}
