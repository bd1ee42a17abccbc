/**
 * A file: its location in a bucket (path, name, alias), the user's metadata and headers, and its content.
 */
import type * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import { FolderPath } from "../access/FolderPath.ts"
import { utf8Length } from "../Text.ts"
import * as FileName from "./FileName.ts"
import * as FileType from "./FileType.ts"
import * as FileSize from "./internal/FileSize.ts"
import { type Header, Headers } from "./Header.ts"

export const FileState = Schema.Literals(["RESERVED", "READY"])
export type FileState = typeof FileState.Type

/** Returns the path to the first key or text of a value that is not well-formed Unicode; undefined when all are. */
const findIllFormed = (value: Schema.Json): ReadonlyArray<PropertyKey> | undefined => {
  if (typeof value === "string") return value.isWellFormed() ? undefined : []
  if (typeof value !== "object" || value === null) return undefined
  for (const [key, member] of Object.entries(value)) {
    const path = key.isWellFormed() ? findIllFormed(member) : []
    if (path !== undefined) return [key, ...path]
  }
  return undefined
}

/** The most levels of metadata, the object itself included. The body of a request has 64 at most, and one is around the metadata. */
const maxLevels = 63

/** Whether a value has more levels of objects and arrays than these. Goes no deeper. */
const isDeeper = (value: Schema.Json, levels: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member: Schema.Json) => isDeeper(member, levels - 1)))

/** A JSON object that the user defines. */
export const Metadata = Schema.Record(Schema.String, Schema.Json)
  // 16 KiB hold fewer than 2,048 members of different names.
  .check(
    Schema.isMaxProperties(2048),
    // Ends the checks: the others recurse for each level, as does every writer of JSON.
    Schema.makeFilter(
      (value: { readonly [key: string]: Schema.Json }) =>
        isDeeper(value, maxLevels) ? `must have at most ${maxLevels} levels` : undefined,
      undefined,
      true
    ),
    Schema.makeFilter((value: { readonly [key: string]: Schema.Json }) =>
      utf8Length(JSON.stringify(value)) > 16_384 ? "must be at most 16 KiB as JSON" : undefined
    ),
    // Both databases would store a lone surrogate as U+FFFD, so that a reader gets another text than the writer sent.
    Schema.makeFilter((value: { readonly [key: string]: Schema.Json }) => {
      const path = findIllFormed(value)
      return path === undefined ? undefined : { path, issue: "must not contain lone surrogates" }
    })
  )
  .annotate({ description: "A JSON object that the user defines, at most 16 KiB." })
export type Metadata = typeof Metadata.Type

/** The optional parts of a file's record. The service computes them only when a request names them. */
export const Expand = Schema.Literals(["SIZE", "TYPE"])
export type Expand = typeof Expand.Type

export const File = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  path: Schema.String,
  alias: Schema.NullOr(Schema.String),
  contentType: Schema.NullOr(Schema.String),
  etag: Schema.NullOr(Schema.String).annotate({
    description: "A strong entity tag. It changes only when the content changes."
  }),
  checksum: Schema.NullOr(Schema.Struct({ sha256: Schema.String.annotate({ description: "Hexadecimal." }) })).annotate({
    description:
      "Null while the file has no content. After an upload in parts also null until the service has computed the digest, in the background."
  }),
  version: Schema.Int.annotate({
    description: "The number of contents so far: 0 while RESERVED, increased by each upload."
  }),
  state: FileState,
  damaged: Schema.Boolean.annotate({
    description:
      "Whether the stored bytes of the content are damaged or missing. They cannot be read until the service has repaired them or a new content is uploaded."
  }),
  metadata: Schema.Record(Schema.String, Schema.Json),
  headers: Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String })),
  createdAt: Schema.DateTimeUtcFromString,
  updatedAt: Schema.DateTimeUtcFromString,
  expands: Schema.optional(
    Schema.Struct({
      size: Schema.optional(FileSize.FileSize),
      type: Schema.optional(Schema.Struct({ type: FileType.FileType }))
    })
  )
}).annotate({ identifier: "File" })
export type File = typeof File.Type

/** The description of a new file, for reservations and uploads. */
export const CreateFile = Schema.Struct({
  name: FileName.FileName,
  path: Schema.optional(FolderPath).annotate({ description: "The folder; `/` when absent." }),
  alias: Schema.optional(Schema.NullOr(FileName.Alias)),
  metadata: Schema.optional(Metadata),
  headers: Schema.optional(Headers)
}).annotate({ identifier: "CreateFile" })
export type CreateFile = typeof CreateFile.Type

export const UpdateFile = Schema.Struct({
  name: Schema.optional(FileName.FileName),
  path: Schema.optional(FolderPath),
  alias: Schema.optional(Schema.NullOr(FileName.Alias)).annotate({ description: "Null removes the alias." }),
  metadata: Schema.optional(Metadata).annotate({
    description: "Replaces the whole metadata, except the trace of a copy that a mirror wrote (`holdfast:trace`)."
  })
}).annotate({ identifier: "UpdateFile" })
export type UpdateFile = typeof UpdateFile.Type

/** One content of a file. Its bytes never change. */
export interface Content {
  readonly blobId: string
  /** Bytes. */
  readonly size: number
  /** Hexadecimal; null while the service computes it, which it does in the background for a composite content. */
  readonly sha256: string | null
  /** Whether the bytes are those of several part blobs, so that the blob has none of its own; false when absent. */
  readonly isComposite?: boolean | undefined
  /** With its quotes, as in the `ETag` field (RFC 9110, section 8.8.3). */
  readonly etag: string
  /** The checksum that the writer has declared, in the words of its protocol; absent for none. Another content has another one. */
  readonly checksum?: string | undefined
  readonly contentType: string
  readonly type: FileType.FileType
  /** When this content became the file's content: its `Last-Modified`. */
  readonly storedAt: DateTime.Utc
}

/** A file as the repository stores it. */
export interface StoredFile {
  readonly id: string
  /** Empty for the marker of a folder, which only lists by keys contain. */
  readonly name: string
  readonly path: string
  readonly alias: string | null
  readonly version: number
  readonly metadata: Metadata
  readonly headers: ReadonlyArray<Header>
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
  /** Null while the file is RESERVED. */
  readonly content: Content | null
  /** Whether the stored bytes of the content were found damaged or missing. */
  readonly damaged: boolean
}

/** Returns the strong entity tag of a content. */
export const etagOf = (sha256: string): string => `"${sha256}"`

/** Converts a stored file to the record that callers get, with the requested optional parts. */
export const fromStored = (stored: StoredFile, expands: ReadonlyArray<Expand> = []): File => {
  const { content } = stored
  return {
    id: stored.id,
    name: stored.name,
    path: stored.path,
    alias: stored.alias,
    version: stored.version,
    metadata: stored.metadata,
    headers: stored.headers,
    createdAt: stored.createdAt,
    updatedAt: stored.updatedAt,
    contentType: content === null ? null : content.contentType,
    etag: content === null ? null : content.etag,
    checksum: content === null || content.sha256 === null ? null : { sha256: content.sha256 },
    state: content === null ? "RESERVED" : "READY",
    damaged: stored.damaged,
    ...(expands.length === 0 ? undefined : { expands: expand(stored, expands) })
  }
}

const expand = ({ content, name }: StoredFile, expands: ReadonlyArray<Expand>): NonNullable<File["expands"]> => ({
  ...(expands.includes("SIZE") ? { size: FileSize.of(content === null ? 0 : content.size) } : undefined),
  ...(expands.includes("TYPE")
    ? { type: { type: content === null ? FileType.fromName(name).type : content.type } }
    : undefined)
})
