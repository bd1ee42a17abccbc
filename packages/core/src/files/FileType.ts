/**
 * The types of files, and their detection by extension. `FileSignature` detects the type of a content.
 */
import * as Schema from "effect/Schema"
import { extension } from "./FileName.ts"

export const FileType = Schema.Literals([
  "IMAGE",
  "VIDEO",
  "AUDIO",
  "DOCUMENT",
  "SPREADSHEET",
  "PRESENTATION",
  "ARCHIVE",
  "FONT",
  "TEXT",
  "OTHER"
])
export type FileType = typeof FileType.Type

/** A detected file type with its media type. */
export interface Detected {
  readonly type: FileType
  /** The media type, with `charset=utf-8` for text. */
  readonly contentType: string
}

const other: Detected = { type: "OTHER", contentType: "application/octet-stream" }

const kinds = (type: FileType, types: { readonly [extension: string]: string }): ReadonlyArray<[string, Detected]> =>
  Object.entries(types).map(([name, contentType]) => [name, { type, contentType }])

const byExtension: ReadonlyMap<string, Detected> = new Map([
  ...kinds("IMAGE", {
    jpg: "image/jpeg",
    jpeg: "image/jpeg",
    png: "image/png",
    gif: "image/gif",
    webp: "image/webp",
    svg: "image/svg+xml",
    bmp: "image/bmp",
    ico: "image/x-icon",
    tif: "image/tiff",
    tiff: "image/tiff",
    avif: "image/avif",
    heic: "image/heic"
  }),
  ...kinds("VIDEO", {
    mp4: "video/mp4",
    m4v: "video/mp4",
    avi: "video/x-msvideo",
    mov: "video/quicktime",
    mkv: "video/x-matroska",
    webm: "video/webm",
    flv: "video/x-flv",
    wmv: "video/x-ms-wmv"
  }),
  ...kinds("AUDIO", {
    mp3: "audio/mpeg",
    wav: "audio/wav",
    ogg: "audio/ogg",
    flac: "audio/flac",
    aac: "audio/aac",
    m4a: "audio/mp4",
    opus: "audio/ogg"
  }),
  ...kinds("DOCUMENT", {
    pdf: "application/pdf",
    doc: "application/msword",
    docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    odt: "application/vnd.oasis.opendocument.text",
    rtf: "application/rtf",
    epub: "application/epub+zip"
  }),
  ...kinds("SPREADSHEET", {
    xls: "application/vnd.ms-excel",
    xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ods: "application/vnd.oasis.opendocument.spreadsheet",
    csv: "text/csv; charset=utf-8"
  }),
  ...kinds("PRESENTATION", {
    ppt: "application/vnd.ms-powerpoint",
    pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    odp: "application/vnd.oasis.opendocument.presentation"
  }),
  ...kinds("ARCHIVE", {
    zip: "application/zip",
    tar: "application/x-tar",
    gz: "application/gzip",
    tgz: "application/gzip",
    rar: "application/vnd.rar",
    "7z": "application/x-7z-compressed",
    bz2: "application/x-bzip2",
    xz: "application/x-xz",
    zst: "application/zstd"
  }),
  ...kinds("FONT", { ttf: "font/ttf", otf: "font/otf", woff: "font/woff", woff2: "font/woff2" }),
  ...kinds("TEXT", {
    txt: "text/plain; charset=utf-8",
    md: "text/markdown; charset=utf-8",
    json: "application/json",
    xml: "application/xml",
    yaml: "application/yaml",
    yml: "application/yaml",
    html: "text/html; charset=utf-8",
    htm: "text/html; charset=utf-8",
    css: "text/css; charset=utf-8",
    js: "text/javascript; charset=utf-8",
    mjs: "text/javascript; charset=utf-8",
    log: "text/plain; charset=utf-8"
  })
])

/** Returns the type of an extension (lower case, without the dot); `OTHER` for an unknown one. */
export const fromExtension = (name: string): Detected => byExtension.get(name) ?? other

/** Returns the type of a file name, by its extension. */
export const fromName = (name: string): Detected => fromExtension(extension(name))
