/**
 * A file: a place in a bucket (path, name, alias), what its owner says of it (metadata, headers), and its content.
 */
import type * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import { Header } from "../headers/Header.ts"
import { utf8Length } from "../Text.ts"
import * as FileName from "./FileName.ts"
import * as FileType from "./FileType.ts"
import * as FileSize from "./FileSize.ts"

export const FileState = Schema.Literals(["RESERVED", "READY"])
export type FileState = typeof FileState.Type

/** The user's own JSON object. */
export const Metadata = Schema.Record(Schema.String, Schema.Json)
  .check(
    Schema.makeFilter((value: { readonly [key: string]: Schema.Json }) =>
      utf8Length(JSON.stringify(value)) > 16_384 ? "must be at most 16 KiB as JSON" : undefined
    )
  )
  .annotate({ description: "A JSON object of the user's, at most 16 KiB." })
export type Metadata = typeof Metadata.Type

/** The optional parts of a record, computed on request. */
export const Expand = Schema.Literals(["SIZE", "TYPE"])
export type Expand = typeof Expand.Type

export const File = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  path: Schema.String,
  alias: Schema.NullOr(Schema.String),
  contentType: Schema.NullOr(Schema.String),
  etag: Schema.NullOr(Schema.String).annotate({ description: "A strong entity tag; changes with the content alone." }),
  checksum: Schema.NullOr(Schema.Struct({ sha256: Schema.String.annotate({ description: "Hexadecimal." }) })),
  version: Schema.Int.annotate({ description: "Counts contents: 0 while RESERVED, one more for each upload." }),
  state: FileState,
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

/** What a caller gives to create a file; the same for reservations and uploads. */
export const CreateFile = Schema.Struct({
  name: FileName.FileName,
  path: Schema.optional(FileName.FolderPath).annotate({ description: "`/` when absent." }),
  alias: Schema.optional(Schema.NullOr(FileName.Alias)),
  metadata: Schema.optional(Metadata),
  headers: Schema.optional(Schema.Array(Header))
}).annotate({ identifier: "CreateFile" })
export type CreateFile = typeof CreateFile.Type

export const UpdateFile = Schema.Struct({
  name: Schema.optional(FileName.FileName),
  path: Schema.optional(FileName.FolderPath),
  alias: Schema.optional(Schema.NullOr(FileName.Alias)).annotate({ description: "Null takes the alias away." }),
  metadata: Schema.optional(Metadata).annotate({ description: "Replaces the metadata as a whole." })
}).annotate({ identifier: "UpdateFile" })
export type UpdateFile = typeof UpdateFile.Type

/** One content of a file: bytes that never change. */
export interface Content {
  readonly blobId: string
  /** Bytes. */
  readonly size: number
  /** Hexadecimal. */
  readonly sha256: string
  /** With its quotes, as the wire has it (RFC 9110, section 8.8.3). */
  readonly etag: string
  readonly contentType: string
  readonly type: FileType.FileType
  /** When this content took the file's place: the `Last-Modified` of the wire. */
  readonly storedAt: DateTime.Utc
}

/** A file as the repository keeps it. */
export interface StoredFile {
  readonly id: string
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
}

/** The strong entity tag of a content. */
export const etagOf = (sha256: string): string => `"${sha256}"`

/** The record that callers see. */
export const fromStored = (stored: StoredFile, expands: ReadonlyArray<Expand> = []): File => {
  const { content, ...rest } = stored
  return {
    ...rest,
    contentType: content === null ? null : content.contentType,
    etag: content === null ? null : content.etag,
    checksum: content === null ? null : { sha256: content.sha256 },
    state: content === null ? "RESERVED" : "READY",
    ...(expands.length === 0 ? undefined : { expands: expand(stored, expands) })
  }
}

const expand = ({ content, name }: StoredFile, expands: ReadonlyArray<Expand>): NonNullable<File["expands"]> => ({
  ...(expands.includes("SIZE") ? { size: FileSize.of(content === null ? 0 : content.size) } : undefined),
  ...(expands.includes("TYPE")
    ? { type: { type: content === null ? FileType.ofName(name).type : content.type } }
    : undefined)
})
