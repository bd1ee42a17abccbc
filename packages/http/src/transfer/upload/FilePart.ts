/**
 * What the part of a form says of the file that it holds (RFC 7578, section 4).
 */
import type { PartInfo } from "effect/http/MultipartParser"

export interface FilePart {
  /** The last segment of the name that the client gave the file; undefined when it gave none. */
  readonly filename: string | undefined
  /** As the client wrote it. */
  readonly contentType: string | undefined
  /** The part's own headers by lower-case name, several of one name joined by commas. */
  readonly headers: { readonly [name: string]: string }
}

/** What browsers escape in names (HTML, multipart/form-data encoding algorithm), and others with a backslash. */
const unescape = (text: string): string =>
  text.replace(/\\(["\\])/g, "$1").replace(/%(?:22|0D|0A)/gi, (escape) => decodeURIComponent(escape))

/** Section 4.2: directories that a client adds are not to be believed. */
const baseName = (text: string): string => text.slice(Math.max(text.lastIndexOf("/"), text.lastIndexOf("\\")) + 1)

const filenameOf = (info: PartInfo): string | undefined => {
  const { filename } = info
  if (filename === undefined) return undefined
  return baseName("filename*" in info.contentDispositionParameters ? filename : unescape(filename)) || undefined
}

export const fromPartInfo = (info: PartInfo): FilePart => {
  const headers = Object.fromEntries(
    Object.entries(info.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value])
  )
  return { filename: filenameOf(info), contentType: headers["content-type"], headers }
}
