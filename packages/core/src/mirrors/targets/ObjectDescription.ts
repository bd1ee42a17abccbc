/**
 * What a mirrored object says of itself at its target: the headers that object stores know, and everything else as
 * metadata of texts.
 */
import type { MirroredFile } from "./MirroredFile.ts"

export interface ObjectDescription {
  readonly contentType: string
  readonly cacheControl?: string | undefined
  readonly contentDisposition?: string | undefined
  readonly contentEncoding?: string | undefined
  readonly contentLanguage?: string | undefined
  /**
   * Names of lower-case letters, digits and hyphens that begin with a letter; values of printable ASCII. Where a store
   * takes no hyphens, its adapter writes underscores. In all at most 2 KiB of names and values, which is what S3 takes.
   */
  readonly metadata: Readonly<Record<string, string>>
}

/** Names and values of metadata together (Amazon S3's user-defined metadata). */
const maxBytes = 2048

/** Headers that stores keep as such. */
const known = {
  "cache-control": "cacheControl",
  "content-disposition": "contentDisposition",
  "content-encoding": "contentEncoding",
  "content-language": "contentLanguage"
} as const

const isKnown = (name: string): name is keyof typeof known => Object.hasOwn(known, name)

/** What takes part in percent-encoding, so that decoding gives back exactly what was encoded. */
const unsafe = /[^\u0020-\u0024\u0026-\u007e]|^ | $/gu

const encoder = new TextEncoder()

const percent = (text: string): string =>
  Array.from(
    encoder.encode(text.toWellFormed()),
    (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
  ).join("")

/** A text as printable ASCII; `decodeURIComponent` undoes it. */
const ascii = (text: string): string => text.replaceAll(unsafe, percent)

/** A known header as every store takes it: no bytes beyond ASCII, and a space where a tab stands. */
const plain = (value: string): string => value.replaceAll("\t", " ").replaceAll(/[^\u0020-\u007e]/gu, percent)

const nameOf = (name: string): string => {
  const spelt = name.toLowerCase().replaceAll(/[^a-z0-9-]+/g, "-")
  return /^[a-z]/.test(spelt) ? spelt : `x-${spelt}`
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/**
 * The description of a file with content. The file's id and checksum come first, then its remaining headers, then its
 * metadata, as `holdfast-file`, `holdfast-sha256`, the header's own name and `meta-` with the key. What does not fit any
 * more is left out, and `holdfast-omitted` counts it.
 */
export const of = (file: MirroredFile): ObjectDescription => {
  let contentType = file.content.contentType
  const headers: { -readonly [Name in (typeof known)[keyof typeof known]]?: string } = {}
  const metadata: Record<string, string> = { "holdfast-file": file.id, "holdfast-sha256": file.content.sha256 }
  // Room for the count of what is left out.
  let room = maxBytes - Object.entries(metadata).reduce((sum, [name, value]) => sum + name.length + value.length, 24)
  let omitted = 0
  const add = (name: string, value: string) => {
    const size = name.length + value.length
    if (Object.hasOwn(metadata, name) || size > room) {
      omitted++
      return
    }
    metadata[name] = value
    room -= size
  }
  for (const { name, value } of file.headers) {
    const lower = name.toLowerCase()
    if (lower === "content-type") contentType = plain(value)
    else if (isKnown(lower)) headers[known[lower]] = plain(value)
    else add(nameOf(lower), ascii(value))
  }
  for (const [key, value] of Object.entries(file.metadata)) add(`meta-${nameOf(key)}`, ascii(textOf(value)))
  if (omitted > 0) metadata["holdfast-omitted"] = String(omitted)
  return { contentType, ...headers, metadata }
}
