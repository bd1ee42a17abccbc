/**
 * Files, as records and as contents: `holdfast.files` and `client.files`.
 */
import * as Effect from "effect/Effect"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import { Downloads } from "../../files/Downloads.ts"
import type * as File from "../../files/File.ts"
import type { FileRef } from "../../files/FileRef.ts"
import { Files } from "../../files/Files.ts"
import * as Links from "../../files/links/Links.ts"
import * as UploadLinks from "../../files/links/UploadLinks.ts"
import { Moves } from "../../files/moves/Moves.ts"
import * as NewFile from "../../files/NewFile.ts"
import type { DeclaredContent } from "../../files/internal/Staging.ts"
import { Uploads } from "../../files/Uploads.ts"
import { ResumableUploads } from "../../uploads/ResumableUploads.ts"
import type { ActorHandle } from "../internal/ActorHandle.ts"
import { bind, type Invoke } from "../internal/BindOperations.ts"
import * as Fields from "../internal/options/InputFields.ts"
import { type ContentSource, knownLength, toStream } from "../internal/content/ContentSource.ts"
import type { Download } from "../content/Download.ts"
import { FileDownload } from "../internal/content/FileDownload.ts"
import { type RangeInput, resolveRange } from "../internal/content/RangeInput.ts"
import type { Methods } from "../Operations.ts"
import { type BaseUrlOption, decodeApiUrl } from "./internal/BaseUrl.ts"
import { type Conditions, toPrecondition } from "./internal/Conditions.ts"
import type * as Records from "./internal/FileRecords.ts"
import { checkMode, type CreateUploadInput, toRecord, type UploadRecord } from "./internal/UploadRecords.ts"

/** A content to upload. The call rejects when the bytes are not as declared, or when a condition does not hold. */
export interface ContentInput extends DeclaredContent, Conditions {
  /** The bytes: a text, bytes, a `Blob`, a stream or an iterable. They are read once. */
  readonly content: ContentSource
}

export interface UploadInput extends BucketRef, Records.FileDescription, ContentInput {
  /**
   * What happens if the bucket has a file with this path and name: `fail`, the default, rejects with `file_exists`; `replace` replaces
   * its content, and those of alias, metadata and headers that are given; `rename` adds random characters to the name of the new file.
   */
  readonly onConflict?: NewFile.OnConflict | undefined
}
export interface ReuploadInput extends FileRef, ContentInput {}
export interface ReserveFileInput extends BucketRef, Records.FileDescription {}

export interface ReadFileInput extends FileRef {
  /** The bytes to read. Default: all. */
  readonly range?: RangeInput | undefined
}

export interface GetFileInput extends FileRef {
  /** Optional parts of the record. */
  readonly expands?: ReadonlyArray<File.Expand> | undefined
}

/** The file to look for: by its id or `@alias`, or by its name and folder. */
export type FileExistsInput = BucketRef &
  (
    | { readonly fileId: string }
    | {
        readonly name: string
        /** The folder. Default: `/`, the root of the bucket. */
        readonly path?: string | undefined
      }
  )

export interface UpdateFileInput extends FileRef, Records.FileChanges {}
export interface RemoveFileInput extends FileRef, Conditions {}

export interface MoveFileInput extends FileRef, Records.MovePlace, Conditions {}

export interface CopyFileInput extends FileRef, Records.CopyPlace, Conditions {}

export interface MoveFilesInput extends BucketRef, Records.MoveRule {
  /** The ids of at most 1,000 files. */
  readonly fileIds: ReadonlyArray<string>
  /** The folder to move them to. */
  readonly path: string
}

export interface RemoveFilesInput extends BucketRef {
  /** The ids of at most 1,000 files. */
  readonly fileIds: ReadonlyArray<string>
}

export interface SignedUrlInput extends FileRef, Records.LinkDescription {}
export interface UploadUrlInput extends BucketRef, Records.UploadLinkDescription {}

export interface FileOperations<Time, Opened extends Download = Download> {
  /**
   * Creates a file with its content. When it resolves, the bytes are durable. When it rejects, nothing is stored; after
   * `network_error`, `unavailable` and `internal` the result is unknown. Rejects with `file_exists`, `alias_taken`,
   * `precondition_failed`, `content_too_large`, `unsupported_media_type`, `checksum_mismatch`, `length_mismatch` and `source_failed`.
   */
  upload(input: UploadInput): Records.FileRecord<Time>

  /**
   * Replaces the content of a file, or supplies it for a reserved one. Id, headers, alias and metadata stay. A reader sees
   * all of the former bytes or all of the new ones. Rejects as `upload` does.
   */
  reupload(input: ReuploadInput): Records.FileRecord<Time>

  /** Creates a file without content, for `reupload`. Rejects with `file_exists` or `alias_taken`. */
  reserve(input: ReserveFileInput): Records.FileRecord<Time>

  /** Opens the content of a file, or a range of it. Rejects with `content_not_uploaded` while the file is reserved. */
  read(input: ReadFileInput): Opened

  /** Returns the record of a file. */
  get(input: GetFileInput): Records.FileRecord<Time>

  /** Returns whether a file exists, by `fileId` or by `name` and `path`. A RESERVED file exists, too. */
  exists(input: FileExistsInput): boolean

  /**
   * Lists the folders in a folder, then its files; with `recursive` all files below it. With a filter, a page may have fewer items
   * than `limit`, or none, although more follow: the list ends where `nextCursor` is null.
   */
  list(input: Records.ListFilesInput): Records.FilePage<Time>

  /** Renames or moves a file, or changes its alias or metadata. Rejects with `file_exists` or `alias_taken`. */
  update(input: UpdateFileInput): Records.FileRecord<Time>

  /**
   * Removes a file; this cannot be undone. A reader that has opened the content reads it to the end. Rejects with
   * `precondition_failed`.
   */
  remove(input: RemoveFileInput): void

  /**
   * Moves a file to another folder, another name, or both. Id, content, alias, metadata and headers stay. Rejects with `file_exists`
   * and `precondition_failed`.
   */
  move(input: MoveFileInput): Records.FileRecord<Time>

  /**
   * Copies a file to another place of its bucket, or to another bucket of its tenant. Content, media type, metadata and headers are
   * copied; the alias and the streams are not. Rejects with `file_exists`, `precondition_failed`, `content_not_uploaded`,
   * `content_damaged`, `content_too_large`, `unsupported_media_type` and `quota_exceeded`.
   */
  copy(input: CopyFileInput): Records.FileRecord<Time>

  /** Moves several files to a folder: all of them, or none. Rejects with `file_exists`. Errors name the files. */
  moveMany(input: MoveFilesInput): Records.MovedFiles

  /** Removes several files: all of them, or none; this cannot be undone. Errors name the files that do not exist. */
  removeMany(input: RemoveFilesInput): void

  /**
   * Creates a link with which a browser shows or saves the file without an API key, for at most seven days. Nothing is stored: the
   * link works while its creator may read the file.
   */
  signedUrl(input: SignedUrlInput): Records.SignedUrl<Time>

  /**
   * Creates a link with which a browser uploads a file without an API key, for at most seven days. Nothing is stored: the link works
   * while its creator may write files, and more than once.
   */
  uploadUrl(input: UploadUrlInput): Records.UploadUrl<Time>
}

/** Includes what the HTTP API has in other forms or knows from the request: it creates uploads in parts by the protocols for them. */
interface LibraryFileOperations extends FileOperations<Date, FileDownload> {
  /**
   * Creates an upload whose content arrives in parts, by `holdfast.uploads`. The bucket has the file after `uploads.complete`. Rejects as
   * `upload` does, and with `quota_exceeded` where the tenant has 1000 open uploads.
   */
  createUpload(input: CreateUploadInput): UploadRecord
  signedUrl(input: SignedUrlInput & BaseUrlOption): Records.SignedUrl
  uploadUrl(input: UploadUrlInput & BaseUrlOption): Records.UploadUrl
}

export interface FilesApi extends Methods<LibraryFileOperations, [actor: ActorHandle]> {}

/** Bytes: storing a smaller content takes no longer than looking up whether its name is taken. */
const largeContent = 64 * 1024

const toUploadOptions = ({ content, contentType, length, sha256, ...conditions }: ContentInput) => ({
  length: length ?? knownLength(content),
  sha256,
  contentType,
  condition: toPrecondition(conditions)
})

export const make = (invoke: Invoke): FilesApi =>
  bind<LibraryFileOperations>(
    invoke,
    {
      upload: Effect.fnUntraced(function* (actor, input) {
        const { upload } = yield* Uploads
        // Before the content is read: a name that is refused should not cost a transfer.
        const description = yield* NewFile.decode(input)
        const onConflict = yield* NewFile.decodeOnConflict(input.onConflict ?? "fail")
        const content = yield* toStream(input.content)
        const options = toUploadOptions(input)
        const { name, path = "/" } = description
        const isLarge = (options.length ?? Infinity) > largeContent
        return yield* upload(actor, input, content, Effect.succeed(description), {
          ...options,
          onConflict,
          name,
          path,
          place: isLarge || onConflict === "replace" ? { name, path } : undefined
        })
      }),

      reupload: Effect.fnUntraced(function* (actor, input) {
        const { reupload } = yield* Uploads
        const content = yield* toStream(input.content)
        return yield* reupload(actor, input, content, toUploadOptions(input))
      }),

      createUpload: Effect.fnUntraced(function* (actor, input) {
        const { create } = yield* ResumableUploads
        yield* checkMode(input.mode)
        const onConflict = yield* NewFile.decodeOnConflict(input.onConflict ?? "fail")
        const { contentType, length, mode } = input
        const condition = toPrecondition(input)
        return toRecord(yield* create(actor, input, input, { mode, length, contentType, onConflict, condition }))
      }),

      reserve: (actor, input) => Files.use((service) => service.reserve(actor, input, input)),

      read: Effect.fnUntraced(function* (actor, input) {
        const { open } = yield* Downloads
        const download = yield* open(actor, input)
        const range = input.range === undefined ? undefined : yield* resolveRange(download.content.size, input.range)
        return new FileDownload(download, range, yield* Effect.context<never>())
      }),

      get: (actor, input) => Files.use((service) => service.get(actor, input, input.expands)),
      exists: (actor, input) => Files.use((service) => service.exists(actor, input, input)),
      list: (actor, input) => Files.use((service) => service.list(actor, input, input)),
      update: (actor, input) => Files.use((service) => service.update(actor, input, input)),
      remove: (actor, input) => Files.use((service) => service.remove(actor, input, toPrecondition(input))),

      move: (actor, input) => Moves.use((service) => service.move(actor, input, input, toPrecondition(input))),
      copy: (actor, input) => Uploads.use((service) => service.copy(actor, input, input, toPrecondition(input))),
      moveMany: (actor, input) => Moves.use((service) => service.moveMany(actor, input, input)),
      removeMany: (actor, input) => Moves.use((service) => service.removeMany(actor, input, input)),

      signedUrl: (actor, input) =>
        Effect.flatMap(decodeApiUrl(input), (apiUrl) =>
          Effect.flatMap(Links.Links, ({ create }) =>
            Effect.map(create(actor, input, input), ({ expiresAt, path }) => ({ url: `${apiUrl}${path}`, expiresAt }))
          )
        ),

      uploadUrl: Effect.fnUntraced(function* (actor, input) {
        const apiUrl = yield* decodeApiUrl(input)
        const { create } = yield* UploadLinks.UploadLinks
        const link = yield* create(actor, input, input)
        return { url: `${apiUrl}${UploadLinks.pathOf(link)}`, expiresAt: link.expiresAt }
      })
    },
    {
      upload: {
        ...Fields.bucket,
        ...Fields.description,
        ...Fields.conditions,
        ...Fields.content,
        onConflict: true
      },
      reupload: { ...Fields.file, ...Fields.conditions, ...Fields.content },
      createUpload: {
        ...Fields.bucket,
        ...Fields.description,
        ...Fields.conditions,
        mode: true,
        length: "count",
        contentType: "text",
        onConflict: true
      },
      reserve: { ...Fields.bucket, ...Fields.description },
      read: { ...Fields.file, range: "record" },
      get: { ...Fields.file, expands: true },
      exists: { ...Fields.bucket, fileId: "text", name: true, path: true },
      list: {
        ...Fields.bucket,
        ...Fields.page,
        path: true,
        recursive: true,
        name: true,
        state: true,
        type: true,
        expands: true
      },
      update: { ...Fields.file, name: true, path: true, alias: true, metadata: true },
      remove: { ...Fields.file, ...Fields.conditions },
      move: { ...Fields.file, ...Fields.conditions, name: true, path: true, onConflict: true },
      copy: { ...Fields.file, ...Fields.conditions, toBucketId: true, name: true, path: true, onConflict: true },
      removeMany: { ...Fields.bucket, fileIds: true },
      moveMany: { ...Fields.bucket, fileIds: true, path: true, onConflict: true },
      signedUrl: { ...Fields.file, may: true, expiresIn: true, version: true, name: true, baseUrl: true },
      uploadUrl: {
        ...Fields.bucket,
        path: true,
        name: true,
        maxBytes: true,
        contentTypes: true,
        expiresIn: true,
        onConflict: true,
        redirectTo: true,
        baseUrl: true
      }
    },
    { list: true }
  )
