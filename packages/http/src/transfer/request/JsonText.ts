/**
 * Parses the JSON of a request (RFC 8259) within bounds that no valid request exceeds. They are checked on the bytes, before
 * anything is built from them: parsing and decoding take time and memory for each value, and recursion for each level.
 */

/** The most levels of arrays and objects. */
export const maxDepth = 64
/**
 * The most values of a text, counted as its commas, opening brackets and opening braces. The largest metadata has 16 KiB, and
 * therefore fewer; the largest bulk change of headers has 192.
 */
export const maxValues = 16_384
/**
 * The most members of all objects together; in 16 KiB of metadata there are 3,276. Looking up names that were chosen to
 * collide takes a time that grows with the square of their number.
 */
export const maxMembers = 4096

/** What is wrong with a text. */
interface Faulty {
  readonly fault: string
}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/**
 * Returns the number of values, or which bound a text exceeds. Of a text that is not JSON it returns any result. UTF-8 has none of
 * the compared bytes within a character of several bytes.
 */
const countValues = (bytes: Uint8Array): number | string => {
  let [depth, values, members] = [0, 0, 0]
  for (let i = 0; i < bytes.length; i++) {
    switch (bytes[i]) {
      case quote:
        while (++i < bytes.length && bytes[i] !== quote) if (bytes[i] === backslash) i++
        break
      case comma:
        values++
        break
      case colon:
        if (++members > maxMembers) return `must have at most ${maxMembers} members`
        break
      case openBracket:
      case openBrace:
        values++
        if (++depth > maxDepth) return `must be nested at most ${maxDepth} levels deep`
        break
      case closeBracket:
      case closeBrace:
        depth--
    }
    if (values > maxValues) return `must have at most ${maxValues} values`
  }
  return values
}

export interface Decoded {
  readonly text: string
  /** No array or object in it has more items or members. */
  readonly values: number
}

/**
 * Bytes that are decoded at a time. Node.js stores a string of 1,031,913 characters and more outside of the heap of V8, in memory of the
 * C library. V8 frees it late, and the C library returns only a part of it to the system: bodies of 1 MiB, one after the other, let the
 * memory of the process grow by up to 66 MiB.
 */
const decodedAtOnce = 512 * 1024

/** Whether a byte continues a character of UTF-8. */
const continues = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** Returns where the next part ends, which cuts no character that has four bytes at most. */
const endOfPart = (bytes: Uint8Array, start: number): number => {
  let end = start + decodedAtOnce
  for (let i = 0; i < 3 && continues(bytes[end]); i++) end--
  return Math.min(end, bytes.length)
}

/** Decodes UTF-8, without the byte order mark that it may begin with. Throws when the bytes are not UTF-8. */
const decodeUtf8 = (bytes: Uint8Array): string => {
  let text = ""
  for (let start = 0; start < bytes.length;) {
    const end = endOfPart(bytes, start)
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: start > 0 })
    text += decoder.decode(bytes.subarray(start, end))
    start = end
  }
  return text
}

/** Decodes a text in UTF-8 that is within the bounds. It may be no JSON. */
export const decode = (bytes: Uint8Array): Decoded | Faulty => {
  const values = countValues(bytes)
  if (typeof values === "string") return { fault: values }
  try {
    return { text: decodeUtf8(bytes), values }
  } catch {
    return { fault: "must be UTF-8" }
  }
}

/** Parses a text that was decoded. */
export const parseText = (text: string): { readonly value: unknown } | Faulty => {
  try {
    const value: unknown = JSON.parse(text)
    return { value }
  } catch {
    return { fault: "must be JSON" }
  }
}

/** Parses a text in UTF-8. */
export const parse = (bytes: Uint8Array): { readonly value: unknown } | Faulty => {
  const decoded = decode(bytes)
  return "fault" in decoded ? decoded : parseText(decoded.text)
}
