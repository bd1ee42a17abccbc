/**
 * The `Range` request header for a content of known size (RFC 9110, section 14).
 *
 * Floods (section 17.15): a header of more than 16 ranges is ignored as a whole, which the RFC always allows. Ranges
 * that overlap or touch are joined, so that no byte is ever sent twice and no answer is larger than the content plus
 * 16 part headers. Ranges that do not are answered in the order in which they were asked for.
 */

/** Positions of the first and the last byte, both included. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

export type Outcome =
  /** No range, one of another unit, or a header to be ignored: send the whole content. */
  | { readonly _tag: "Ignore" }
  /** Valid, but nothing of it lies within the content: 416. */
  | { readonly _tag: "Unsatisfiable" }
  /** At least one range, each within the content, none overlapping another. */
  | { readonly _tag: "Satisfiable"; readonly ranges: readonly [ByteRange, ...ReadonlyArray<ByteRange>] }

export const maxRanges = 16

const ignore: Outcome = { _tag: "Ignore" }
const unsatisfiable: Outcome = { _tag: "Unsatisfiable" }

/** Range units are case-insensitive (section 14.1); no white space around the equals sign. */
const unit = /^bytes=/i

/** One element of the list (section 5.6.1), possibly empty: `first-`, `first-last` or `-suffix`. */
const element = /[ \t]*(?:(?:(\d+)-(\d*)|-(\d+))[ \t]*)?(?:,|$)/y

/** Number of bytes in a range. */
export const lengthOf = (range: ByteRange): number => range.end - range.start + 1

/** Whether one decimal number is below another, exactly, whatever their length. */
const isBelow = (a: string, b: string): boolean =>
  a.length > 15 || b.length > 15 ? BigInt(a) < BigInt(b) : Number(a) < Number(b)

/** Joins ranges that overlap or touch; gives the list back as it came when none do. */
const join = (ranges: ReadonlyArray<ByteRange>): ReadonlyArray<ByteRange> => {
  if (ranges.length < 2) return ranges
  const joined: Array<ByteRange> = []
  for (const range of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1)
    if (last === undefined || range.start > last.end + 1) joined.push(range)
    else joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, range.end) }
  }
  return joined.length === ranges.length ? ranges : joined
}

/**
 * What a `Range` header asks of a content of `size` bytes.
 *
 * A header that does not follow the grammar, and a range whose end lies before its start, make the whole header
 * ignored (section 14.2). A suffix longer than the content is the whole of it; of an empty content it is satisfiable
 * but cannot be written as a `Content-Range`, so the (empty) whole is sent.
 */
export const parse = (header: string | undefined, size: number): Outcome => {
  if (header === undefined || !unit.test(header)) return ignore
  const found: Array<ByteRange> = []
  let count = 0
  let emptySuffix = false
  element.lastIndex = "bytes=".length
  while (element.lastIndex < header.length) {
    const match = element.exec(header)
    if (match === null) return ignore
    const [, first, last, suffix] = match
    if (first === undefined && suffix === undefined) continue
    if (++count > maxRanges) return ignore
    if (first !== undefined) {
      if (last && isBelow(last, first)) return ignore
      const start = Number(first)
      if (start < size) found.push({ start, end: last ? Math.min(Number(last), size - 1) : size - 1 })
    } else {
      const length = Number(suffix)
      if (length > 0 && size > 0) found.push({ start: Math.max(0, size - length), end: size - 1 })
      emptySuffix ||= length > 0 && size === 0
    }
  }
  if (count === 0 || emptySuffix) return ignore
  const [range, ...more] = join(found)
  return range === undefined ? unsatisfiable : { _tag: "Satisfiable", ranges: [range, ...more] }
}
