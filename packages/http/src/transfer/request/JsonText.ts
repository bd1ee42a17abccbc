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

/** Decodes a text in UTF-8 that is within the bounds. It may be no JSON. */
export const decode = (bytes: Uint8Array): Decoded | Faulty => {
  const values = countValues(bytes)
  if (typeof values === "string") return { fault: values }
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), values }
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
