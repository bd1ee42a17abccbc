/**
 * What kind of file a content is: its first bytes decide, the extension where they cannot tell.
 */
import { extension } from "./FileName.ts"
import * as FileType from "./FileType.ts"

/** How many bytes from a content's start `detect` looks at. */
export const headLength = 4096

/** Signatures by their place: what begins so is this, whatever its name says. */
const signatures: ReadonlyArray<{ readonly at: number; readonly bytes: string; readonly is: string }> = [
  { at: 0, bytes: "\xff\xd8\xff", is: "jpg" },
  { at: 0, bytes: "\x89PNG\r\n\x1a\n", is: "png" },
  { at: 0, bytes: "GIF87a", is: "gif" },
  { at: 0, bytes: "GIF89a", is: "gif" },
  { at: 8, bytes: "WEBP", is: "webp" },
  { at: 0, bytes: "\x00\x00\x01\x00", is: "ico" },
  { at: 0, bytes: "II*\x00", is: "tiff" },
  { at: 0, bytes: "MM\x00*", is: "tiff" },
  { at: 8, bytes: "AVI ", is: "avi" },
  { at: 8, bytes: "WAVE", is: "wav" },
  { at: 0, bytes: "FLV\x01", is: "flv" },
  { at: 0, bytes: "\x30\x26\xb2\x75\x8e\x66\xcf\x11", is: "wmv" },
  { at: 0, bytes: "ID3", is: "mp3" },
  { at: 0, bytes: "OggS", is: "ogg" },
  { at: 0, bytes: "fLaC", is: "flac" },
  { at: 0, bytes: "%PDF-", is: "pdf" },
  { at: 0, bytes: "{\\rtf", is: "rtf" },
  { at: 0, bytes: "\x1f\x8b", is: "gz" },
  { at: 0, bytes: "Rar!\x1a\x07", is: "rar" },
  { at: 0, bytes: "7z\xbc\xaf\x27\x1c", is: "7z" },
  { at: 0, bytes: "BZh", is: "bz2" },
  { at: 0, bytes: "\xfd7zXZ\x00", is: "xz" },
  { at: 0, bytes: "\x28\xb5\x2f\xfd", is: "zst" },
  { at: 257, bytes: "ustar", is: "tar" },
  { at: 0, bytes: "\x00\x01\x00\x00\x00", is: "ttf" },
  { at: 0, bytes: "OTTO", is: "otf" },
  { at: 0, bytes: "wOFF", is: "woff" },
  { at: 0, bytes: "wOF2", is: "woff2" }
]

/** Containers that hold several kinds: the extension chooses among them, the first one where it says none. */
const containers: ReadonlyArray<{
  readonly at: number
  readonly bytes: string
  readonly kinds: ReadonlyArray<string>
}> = [
  { at: 0, bytes: "PK\x03\x04", kinds: ["zip", "docx", "xlsx", "pptx", "odt", "ods", "odp", "epub"] },
  { at: 0, bytes: "PK\x05\x06", kinds: ["zip"] },
  { at: 0, bytes: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", kinds: ["doc", "xls", "ppt"] },
  { at: 4, bytes: "ftyp", kinds: ["mp4", "mov", "m4v", "m4a", "avif", "heic"] },
  { at: 0, bytes: "\x1a\x45\xdf\xa3", kinds: ["mkv", "webm"] }
]

/** Brands of ISO base media files (ISO/IEC 14496-12) that settle what the extension does not. */
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

/** `RIFF` alone does not tell; the form at offset 8 counts only behind it. */
const isRiffForm = (is: string): boolean => is === "webp" || is === "avi" || is === "wav"

const bySignature = (head: Uint8Array): string | undefined => {
  const found = signatures.find(
    ({ at, bytes, is }) => startsAt(head, at, bytes) && (!isRiffForm(is) || startsAt(head, 0, "RIFF"))
  )
  if (found !== undefined) return found.is
  // An MPEG audio frame (ISO/IEC 11172-3) or an ADTS frame (ISO/IEC 13818-7) begins with sync bits.
  const [first, second] = head
  if (first === 0xff && second !== undefined && head.length > 3) {
    if ((second & 0xf6) === 0xf0) return "aac"
    if ((second & 0xe0) === 0xe0 && (second & 0x18) !== 0x08 && (second & 0x06) !== 0) return "mp3"
  }
  // "BM" is too short to trust alone: the reserved words behind it are zero.
  return startsAt(head, 0, "BM") && startsAt(head, 6, "\x00\x00\x00\x00") ? "bmp" : undefined
}

const byContainer = (head: Uint8Array, name: string): string | undefined => {
  const container = containers.find(({ at, bytes }) => startsAt(head, at, bytes))
  if (container === undefined) return undefined
  const said = extension(name)
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
  return container.kinds.includes(said) ? said : container.kinds[0]
}

/** What begins like markup is markup, so that a browser is never handed a page that calls itself a picture. */
const byMarkup = (head: Uint8Array): string | undefined => {
  const start = new TextDecoder("utf-8")
    .decode(head.subarray(0, 512))
    .replace(/^\uFEFF/, "")
    .trimStart()
    .toLowerCase()
  if (/^<!doctype html|^<html[\s>]|^<script[\s>]|^<body[\s>]|^<head[\s>]|^<iframe[\s>]/.test(start)) return "html"
  if (/^(?:<\?xml[^>]*\?>\s*)?(?:<!--[^]*?-->\s*)*(?:<!doctype svg[^>]*>\s*)?<svg[\s>]/.test(start)) return "svg"
  return start.startsWith("<?xml") ? "xml" : undefined
}

/**
 * The kind of a content, from its first bytes (up to `headLength`) and the file's name.
 */
export const detect = (head: Uint8Array, name: string): FileType.Detected => {
  const found = bySignature(head) ?? byContainer(head, name) ?? byMarkup(head)
  return found === undefined ? FileType.ofName(name) : FileType.ofExtension(found)
}
