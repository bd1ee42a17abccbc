/**
 * Detects the type of a content from its first bytes; from the name's extension where the bytes match no signature.
 */
import { extension } from "./FileName.ts"
import * as FileType from "./FileType.ts"

/** How many bytes from the start of a content `detect` examines. */
export const headLength = 4096

/** Signatures at fixed offsets. They decide the extension, whatever the file's name is. */
const signatures: ReadonlyArray<{ readonly at: number; readonly bytes: string; readonly extension: string }> = [
  { at: 0, bytes: "\xff\xd8\xff", extension: "jpg" },
  { at: 0, bytes: "\x89PNG\r\n\x1a\n", extension: "png" },
  { at: 0, bytes: "GIF87a", extension: "gif" },
  { at: 0, bytes: "GIF89a", extension: "gif" },
  { at: 8, bytes: "WEBP", extension: "webp" },
  { at: 0, bytes: "\x00\x00\x01\x00", extension: "ico" },
  { at: 0, bytes: "II*\x00", extension: "tiff" },
  { at: 0, bytes: "MM\x00*", extension: "tiff" },
  { at: 8, bytes: "AVI ", extension: "avi" },
  { at: 8, bytes: "WAVE", extension: "wav" },
  { at: 0, bytes: "FLV\x01", extension: "flv" },
  { at: 0, bytes: "\x30\x26\xb2\x75\x8e\x66\xcf\x11", extension: "wmv" },
  { at: 0, bytes: "ID3", extension: "mp3" },
  { at: 0, bytes: "OggS", extension: "ogg" },
  { at: 0, bytes: "fLaC", extension: "flac" },
  { at: 0, bytes: "%PDF-", extension: "pdf" },
  { at: 0, bytes: "{\\rtf", extension: "rtf" },
  { at: 0, bytes: "\x1f\x8b", extension: "gz" },
  { at: 0, bytes: "Rar!\x1a\x07", extension: "rar" },
  { at: 0, bytes: "7z\xbc\xaf\x27\x1c", extension: "7z" },
  { at: 0, bytes: "BZh", extension: "bz2" },
  { at: 0, bytes: "\xfd7zXZ\x00", extension: "xz" },
  { at: 0, bytes: "\x28\xb5\x2f\xfd", extension: "zst" },
  { at: 257, bytes: "ustar", extension: "tar" },
  { at: 0, bytes: "\x00\x01\x00\x00\x00", extension: "ttf" },
  { at: 0, bytes: "OTTO", extension: "otf" },
  { at: 0, bytes: "wOFF", extension: "woff" },
  { at: 0, bytes: "wOF2", extension: "woff2" }
]

/** Containers of several file formats. The name's extension chooses among the formats; the first one is the default. */
const containers: ReadonlyArray<{
  readonly at: number
  readonly bytes: string
  readonly extensions: ReadonlyArray<string>
}> = [
  { at: 0, bytes: "PK\x03\x04", extensions: ["zip", "docx", "xlsx", "pptx", "odt", "ods", "odp", "epub"] },
  { at: 0, bytes: "PK\x05\x06", extensions: ["zip"] },
  { at: 0, bytes: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", extensions: ["doc", "xls", "ppt"] },
  { at: 4, bytes: "ftyp", extensions: ["mp4", "mov", "m4v", "m4a", "avif", "heic"] },
  { at: 0, bytes: "\x1a\x45\xdf\xa3", extensions: ["mkv", "webm"] }
]

/** Brands of ISO base media files (ISO/IEC 14496-12) that decide the format, whatever the extension is. */
const brands: ReadonlyMap<string, string> = new Map([
  ["qt  ", "mov"],
  ["M4A ", "m4a"],
  ["avif", "avif"],
  ["heic", "heic"]
])

const startsAt = (head: Uint8Array, at: number, bytes: string): boolean => {
  if (head.length < at + bytes.length) return false
  for (let i = 0; i < bytes.length; i++) if (head[at + i] !== bytes.charCodeAt(i)) return false
  return true
}

/** The formats of RIFF. Their signature is at offset 8 and counts only when the content begins with `RIFF`. */
const isRiffForm = (extension: string): boolean => extension === "webp" || extension === "avi" || extension === "wav"

const bySignature = (head: Uint8Array): string | undefined => {
  const found = signatures.find(
    ({ at, bytes, extension }) => startsAt(head, at, bytes) && (!isRiffForm(extension) || startsAt(head, 0, "RIFF"))
  )
  if (found !== undefined) return found.extension
  // An MPEG audio frame (ISO/IEC 11172-3) or an ADTS frame (ISO/IEC 13818-7) begins with sync bits.
  const [first, second] = head
  if (first === 0xff && second !== undefined && head.length > 3) {
    if ((second & 0xf6) === 0xf0) return "aac"
    if ((second & 0xe0) === 0xe0 && (second & 0x18) !== 0x08 && (second & 0x06) !== 0) return "mp3"
  }
  // "BM" alone is too short for a signature, so that the reserved words after it must be zero, too.
  return startsAt(head, 0, "BM") && startsAt(head, 6, "\x00\x00\x00\x00") ? "bmp" : undefined
}

const byContainer = (head: Uint8Array, name: string): string | undefined => {
  const container = containers.find(({ at, bytes }) => startsAt(head, at, bytes))
  if (container === undefined) return undefined
  const named = extension(name)
  if (startsAt(head, 4, "ftyp")) {
    const brand = brands.get(String.fromCharCode(...head.subarray(8, 12)))
    if (brand !== undefined) return brand
  }
  if (
    startsAt(head, 0, "\x1a\x45\xdf\xa3") &&
    new TextDecoder("latin1").decode(head.subarray(0, 64)).includes("webm")
  ) {
    return "webm"
  }
  return container.extensions.includes(named) ? named : container.extensions[0]
}

/** The first bytes of `<` and, in UTF-8, of the byte order mark and of all white space: markup begins with one of them. */
const beforeMarkup: ReadonlySet<number | undefined> = new Set([
  0x3c, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0xc2, 0xe1, 0xe2, 0xe3, 0xef
])

/**
 * The beginning of an SVG image. A comment ends at its first `-->`: were it allowed to contain another one, the time to refuse a text
 * would double with each comment.
 */
const svg = /^(?:<\?xml[^>]*\?>\s*)?(?:<!--(?:[^-]|-(?!->))*-->\s*)*(?:<!doctype svg[^>]*>\s*)?<svg[\s>]/

/** Detects HTML, SVG and XML by their first text, so that a page named like a picture is never served as one. */
const byMarkup = (head: Uint8Array): string | undefined => {
  if (!beforeMarkup.has(head[0])) return undefined
  const start = new TextDecoder("utf-8")
    .decode(head.subarray(0, 512))
    .replace(/^\uFEFF/, "")
    .trimStart()
    .toLowerCase()
  if (/^<!doctype html|^<html[\s>]|^<script[\s>]|^<body[\s>]|^<head[\s>]|^<iframe[\s>]/.test(start)) return "html"
  if (svg.test(start)) return "svg"
  return start.startsWith("<?xml") ? "xml" : undefined
}

/** Returns the type of a content, from its first bytes (up to `headLength`) and the file's name. */
export const detect = (head: Uint8Array, name: string): FileType.Detected => {
  const found = bySignature(head) ?? byContainer(head, name) ?? byMarkup(head)
  return found === undefined ? FileType.fromName(name) : FileType.fromExtension(found)
}
