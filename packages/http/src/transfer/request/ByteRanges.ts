/**
 * The `Range` request header, for a content of known size (RFC 9110, section 14).
 *
 * Two rules protect the server from costly requests (section 17.15). A header with more than 16 ranges is ignored as a
 * whole; a server may always ignore a range. Ranges that overlap or touch are joined, so that no byte is sent twice, and a
 * response is never larger than the content plus 16 part headers. Otherwise ranges are sent in the order of the header.
 */

/** Positions of the first and the last byte, both inclusive. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

export type Outcome =
  /** The request has no range, one of another unit, or a header that must be ignored: send the whole content. */
  | { readonly _tag: "Ignore" }
  /** The header is valid, but none of its ranges lies within the content: respond with 416. */
  | { readonly _tag: "Unsatisfiable" }
  /** At least one range lies within the content. The ranges do not overlap. */
  | { readonly _tag: "Satisfiable"; readonly ranges: readonly [ByteRange, ...ReadonlyArray<ByteRange>] }

/** A header with more ranges is ignored. */
const maxRanges = 16

const ignore: Outcome = { _tag: "Ignore" }
const unsatisfiable: Outcome = { _tag: "Unsatisfiable" }

/** Range units are case-insensitive (section 14.1). White space around the equals sign is not allowed. */
const unit = /^bytes=/i

/** One element of the list (section 5.6.1): `first-`, `first-last`, `-suffix`, or nothing. */
const element = /[ \t]*(?:(?:(\d+)-(\d*)|-(\d+))[ \t]*)?(?:,|$)/y

/** The number of bytes in a range. */
export const lengthOf = (range: ByteRange): number => range.end - range.start + 1

/** Whether one decimal number is below another. Exact for numbers of any length. */
const isBelow = (a: string, b: string): boolean =>
  a.length > 15 || b.length > 15 ? BigInt(a) < BigInt(b) : Number(a) < Number(b)

/** Joins ranges that overlap or touch. Returns the same list, in the same order, when none do. */
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
 * Parses the `Range` header of a request for a content of `size` bytes.
 *
 * A header that does not follow the grammar, or that has a range whose end lies before its start, is ignored as a whole
 * (section 14.2). A suffix that is longer than the content means all of it. For an empty content such a suffix is
 * satisfiable, but no `Content-Range` can express it, so the header is ignored and the empty content is sent.
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
