/**
 * The `Content-Disposition` header of a response (RFC 6266): whether the client shows or saves a content, and its file name.
 */

export type Disposition = "inline" | "attachment"

/**
 * Characters that are removed from names: control characters, line and paragraph separators, and the marks that change the
 * direction of text, with which a program named `gnp.exe` can be displayed as the picture `exe.png`.
 */
export const unsafe = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** The file name where nothing is left of a name. */
const unnamed = "file"

/** Characters that `encodeURIComponent` does not encode but RFC 8187 does not allow in `attr-char`. */
const notAttrChar = /[*'()]/g

const percentEncode = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`

/** The `ext-value` of RFC 8187, section 3.2.1. The text must be well-formed Unicode. */
const extValue = (text: string): string => `UTF-8''${encodeURIComponent(text).replace(notAttrChar, percentEncode)}`

/**
 * The name in ASCII, for clients that do not support `filename*`. Accents are dropped, and other non-ASCII characters become
 * `_`. Four ASCII characters become `_` too: quotes and backslashes, which clients unescape differently, percent signs, which
 * some clients decode (RFC 6266, appendix D), and slashes, which separate folders.
 */
const asciiName = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/["\\%/]|[^\u0020-\u007e]/gu, "_") || unnamed

const encodeParameters = (name: string): string => {
  const clean = name.toWellFormed().replace(unsafe, "").trim() || unnamed
  return `filename="${asciiName(clean)}"; filename*=${extValue(clean)}`
}

/** The cache holds this many names, each of this length at most. When it is full it is cleared. */
const cacheCapacity = 1024
const cachedLength = 256

const cache = new Map<string, string>()

/** The parameters of a name, cached: for a file that is read often, encoding its name takes 5 µs each time. */
const cachedParameters = (name: string): string => {
  if (name.length > cachedLength) return encodeParameters(name)
  const found = cache.get(name)
  if (found !== undefined) return found
  const encoded = encodeParameters(name)
  if (cache.size >= cacheCapacity) cache.clear()
  cache.set(name, encoded)
  return encoded
}

/**
 * The header's value for a file of any name. It consists of printable ASCII, so that no name can end the header or add
 * another one.
 */
export const format = (disposition: Disposition, name: string): string => `${disposition}; ${cachedParameters(name)}`
