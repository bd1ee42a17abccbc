/**
 * The headers and metadata of a mirrored object at its target: the headers that object stores keep as such, and everything else
 * as metadata.
 */
import * as Header from "../../files/Header.ts"
import * as TraceMember from "../../files/moves/TraceMember.ts"
import type { MirroredFile } from "./MirroredFile.ts"

export interface ObjectDescription {
  readonly contentType: string
  readonly cacheControl?: string | undefined
  readonly contentDisposition?: string | undefined
  readonly contentEncoding?: string | undefined
  readonly contentLanguage?: string | undefined
  /**
   * Names consist of lower-case letters, digits and hyphens, and begin with a letter. Values are printable ASCII. Where a store
   * takes no hyphens, its adapter writes underscores. Names and values together have at most 2 KiB: the limit of S3.
   */
  readonly metadata: Readonly<Record<string, string>>
}

/** Bytes of names and values of metadata together (the limit of user-defined metadata in Amazon S3). */
export const maxMetadataBytes = 2048

/** Bytes of the entry `holdfast-omitted`, whose value may have up to eight digits. */
const omittedBytes = 24

/** Headers that stores keep as such. */
const storeHeaders = {
  "cache-control": "cacheControl",
  "content-disposition": "contentDisposition",
  "content-encoding": "contentEncoding",
  "content-language": "contentLanguage"
} as const

const isStoreHeader = (name: string): name is keyof typeof storeHeaders => Object.hasOwn(storeHeaders, name)

/** The characters to percent-encode: all but printable ASCII, the percent sign, and a space at either end. */
const unsafe = /[^\u0020-\u0024\u0026-\u007e]|^ | $/gu

const encoder = new TextEncoder()

const percentEncode = (text: string): string =>
  Array.from(
    encoder.encode(text.toWellFormed()),
    (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
  ).join("")

/** Encodes a text as printable ASCII; `decodeURIComponent` decodes it. */
const toAscii = (text: string): string => text.replaceAll(unsafe, percentEncode)

/** Encodes the value of a store header in the way that every store accepts: ASCII only, and a space instead of a tab. */
const toHeaderValue = (value: string): string =>
  value.replaceAll("\t", " ").replaceAll(/[^\u0020-\u007e]/gu, percentEncode)

const toMetadataName = (name: string): string => {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9-]+/g, "-")
  return /^[a-z]/.test(plain) ? plain : `x-${plain}`
}

const toText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/**
 * Returns the description of a file. Metadata has the file's id and checksum first (`holdfast-file`, `holdfast-sha256`), then the
 * remaining headers under their own names, then the file's metadata as `meta-` with the key. Entries that exceed the limit, or
 * whose name is taken, are left out; `holdfast-omitted` counts them.
 */
export const of = (file: MirroredFile): ObjectDescription => {
  let contentType = file.content.contentType
  const headers: { -readonly [Name in (typeof storeHeaders)[keyof typeof storeHeaders]]?: string } = {}
  const metadata: Record<string, string> = { "holdfast-file": file.id, "holdfast-sha256": file.content.sha256 }
  let bytesLeft =
    maxMetadataBytes -
    Object.entries(metadata).reduce((sum, [name, value]) => sum + name.length + value.length, omittedBytes)
  let omitted = 0
  const add = (name: string, value: string) => {
    const size = name.length + value.length
    if (Object.hasOwn(metadata, name) || size > bytesLeft) {
      omitted++
      return
    }
    metadata[name] = value
    bytesLeft -= size
  }
  for (const { name, value } of Header.sent(file.headers)) {
    const lower = name.toLowerCase()
    if (lower === "content-type") contentType = toHeaderValue(value)
    else if (isStoreHeader(lower)) headers[storeHeaders[lower]] = toHeaderValue(value)
    else add(toMetadataName(lower), toAscii(value))
  }
  for (const [key, value] of Object.entries(file.metadata)) {
    // Another program that copies the metadata from the target makes no copy of a mirror.
    if (key !== TraceMember.metadataName) add(`meta-${toMetadataName(key)}`, toAscii(toText(value)))
  }
  if (omitted > 0) metadata["holdfast-omitted"] = String(omitted)
  return { contentType, ...headers, metadata }
}
