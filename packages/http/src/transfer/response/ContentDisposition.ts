/**
 * The `Content-Disposition` of a response (RFC 6266): what to do with a content, and the name to save it under.
 */

export type Disposition = "inline" | "attachment"

/**
 * Controls, line and paragraph separators, and the marks that change the direction of text, with which `exe.png` could
 * be made to look like `gnp.exe`.
 */
const unsafe = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** What `encodeURIComponent` leaves but RFC 8187 does not allow in `attr-char`. */
const notAttrChar = /[*'()]/g

const percent = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`

/** RFC 8187, section 3.2.1. The text must be well-formed. */
const extValue = (text: string): string => `UTF-8''${encodeURIComponent(text).replace(notAttrChar, percent)}`

/**
 * The name in plain ASCII, for recipients that do not know `filename*`: accents are dropped, other characters become
 * `_`. So do quotes and backslashes, whose escaping recipients disagree about, and percent signs, which some decode
 * (RFC 6266, appendix D), and the slashes of a path.
 */
const fallback = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/["\\%/]|[^\u0020-\u007e]/gu, "_")

const parameters = (name: string): string => {
  const clean = name.toWellFormed().replace(unsafe, "").trim() || "file"
  return `filename="${fallback(clean)}"; filename*=${extValue(clean)}`
}

/** So many names are remembered, of this length at most; then the memory begins anew. */
const capacity = 1024
const rememberedLength = 256

const known = new Map<string, string>()

/** What a name becomes is remembered: a file that is read often would spend 5 µs on it each time. */
const remembered = (name: string): string => {
  if (name.length > rememberedLength) return parameters(name)
  const found = known.get(name)
  if (found !== undefined) return found
  const made = parameters(name)
  if (known.size >= capacity) known.clear()
  known.set(name, made)
  return made
}

/**
 * The header's value for a file of any name. It is printable ASCII, whatever the name: no name can end the header or
 * add another.
 */
export const format = (disposition: Disposition, name: string): string => `${disposition}; ${remembered(name)}`
