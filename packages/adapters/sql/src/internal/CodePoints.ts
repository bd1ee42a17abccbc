/**
 * The order of texts by code point, that is, by UTF-8 bytes. Both databases use this order. It differs from JavaScript's
 * order by UTF-16 code units: an emoji comes after U+FFFD by code point, but before it by code unit.
 */

/** A surrogate is part of a code point that is greater than every code point of one unit. */
const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit)

/** Returns a negative number, zero or a positive number when `a` is less than, equal to or greater than `b`. */
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
 * Returns the first text after all texts with a prefix; undefined when there is none. It increments the last code point that
 * can be incremented and drops the ones after it.
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
 * Converts a position to a text that a database can compare with. A forged cursor may contain a NUL, which no stored text
 * does: NUL is less than every other character, so the same texts come after the part before the NUL. Lone surrogates become
 * U+FFFD.
 */
export const comparable = (text: string): string => {
  const nul = text.indexOf("\0")
  return (nul < 0 ? text : text.slice(0, nul)).toWellFormed()
}
