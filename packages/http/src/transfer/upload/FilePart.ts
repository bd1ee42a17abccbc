/**
 * The description of the file in a form's part: its name, type and headers (RFC 7578, section 4).
 */
import type { PartInfo } from "effect/http/MultipartParser"

export interface FilePart {
  /** The last segment of the file name that the client sent; undefined when it sent none. */
  readonly filename: string | undefined
  /** The media type as the client wrote it; undefined when it sent none. */
  readonly contentType: string | undefined
  /** The part's own headers by lower-case name; several headers of one name are joined by commas. */
  readonly headers: { readonly [name: string]: string }
}

/** Browsers percent-encode `"`, CR and LF in names (HTML, multipart/form-data encoding algorithm); others use a backslash. */
const unescape = (text: string): string =>
  text.replace(/\\(["\\])/g, "$1").replace(/%(?:22|0D|0A)/gi, (escape) => decodeURIComponent(escape))

/** Drops directories: section 4.2 says that a recipient must not use those that a client sends. */
const baseName = (text: string): string => text.slice(Math.max(text.lastIndexOf("/"), text.lastIndexOf("\\")) + 1)

const filenameOf = (info: PartInfo): string | undefined => {
  const { filename } = info
  if (filename === undefined) return undefined
  // `filename*` has an encoding of its own (RFC 8187), which the parser has decoded.
  return baseName("filename*" in info.contentDispositionParameters ? filename : unescape(filename)) || undefined
}

/** The description in a part's headers, as Effect's parser returns them. */
export const fromPartInfo = (info: PartInfo): FilePart => {
  const headers = Object.fromEntries(
    Object.entries(info.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value])
  )
  return { filename: filenameOf(info), contentType: headers["content-type"], headers }
}
