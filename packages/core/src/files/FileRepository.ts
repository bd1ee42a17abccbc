/**
 * The port that stores files. Each method is one atomic step on one bucket of one tenant.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Result from "effect/Result"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type { NotFound, PreconditionFailed, QuotaExceeded } from "../Errors.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { Slice } from "../Page.ts"
import type { Content, FileState, Metadata, StoredFile, UpdateFile } from "./File.ts"
import type { AliasTaken, FileExists, UploadExpired } from "./FileErrors.ts"
import type { Place, Selector } from "./FileRef.ts"
import type { FileType } from "./FileType.ts"
import type { Header } from "./Header.ts"
import type { OnConflict } from "./NewFile.ts"
import type { Precondition } from "./Precondition.ts"
import type { ShareExhausted } from "./shares/Share.ts"

/** Which files a list contains. */
export interface FileQuery {
  /** The folder, normalised: with a leading and a trailing slash. */
  readonly path: string
  /** Whether the list contains the files of the folders below, too. */
  readonly recursive: boolean
  /** The prefix of the files' names. */
  readonly name?: string | undefined
  readonly state?: FileState | undefined
  readonly type?: FileType | undefined
}

/**
 * A position in the order of a list: by path, then by name, both by code point (that is, by UTF-8 bytes). With the name null it
 * is after all files of that folder, and before those of the folders below.
 */
export interface Position {
  readonly path: string
  readonly name: string | null
}

/** The files of a page. */
export interface FileSlice {
  /** At most `limit`; fewer, or none, when the repository had to read too many other files to find them. */
  readonly files: ReadonlyArray<StoredFile>
  /** The position after which the list continues; null at its end. */
  readonly next: Position | null
}

/** A page of a list of files. */
export interface FileListRequest extends Slice<Position> {
  readonly bucket: BucketRef
  readonly query: FileQuery
  /** Whether the list contains the markers of folders, too. Default: false. */
  readonly withMarkers?: boolean | undefined
}

/** A page of the folders directly below a path. */
export interface FolderListRequest extends Slice {
  readonly bucket: BucketRef
  /** The folder, normalised: with a leading and a trailing slash. */
  readonly path: string
}

/**
 * A page of the keys of a bucket. The key of a file is its path without the leading slash, and its name. Keys are ordered by code
 * point, so that those of a folder may be between two names of the folder above.
 */
export interface KeyListRequest extends Slice {
  readonly bucket: BucketRef
  /** Lists only the keys that begin with this text. */
  readonly prefix: string
  /**
   * Keys that have this text after the prefix are listed as one entry: the key up to the end of this text. It must not be empty nor
   * consist of U+10FFFF.
   */
  readonly delimiter?: string | undefined
  /** Lists only keys of files in this folder and in those below it. */
  readonly folder?: string | undefined
}

/** A content in a list of keys. */
export interface KeyedContent extends Pick<Content, "size" | "etag" | "storedAt"> {
  readonly key: string
}

/** The entries of a page: at most `limit` contents and prefixes together. */
export interface KeySlice {
  readonly contents: ReadonlyArray<KeyedContent>
  readonly prefixes: ReadonlyArray<string>
  /** The last entry, after which the list continues; null at its end. */
  readonly next: string | null
}

/** A folder whose files are counted, with those of all folders below it. */
export interface FolderCountRequest {
  readonly bucket: BucketRef
  /** The folder, normalised: with a leading and a trailing slash. */
  readonly path: string
  readonly limit: number
}

/** What a replacement changes of a file besides its content: the fields that are present. */
export interface ReplacedDescription {
  readonly alias?: string | null | undefined
  readonly metadata?: Metadata | undefined
  readonly headers?: ReadonlyArray<Header> | undefined
}

/** Makes a content of the parts of an upload, in the step that makes it the content of a file. */
export interface Assembly {
  readonly uploadId: string
  /** The upload must not have changed since it had this revision. */
  readonly revision: number
  /** The blob that the upload has reserved its bytes for. */
  readonly blobId: string
  /** The parts of the content: the blobs of their numbers, in ascending order. */
  readonly numbers: ReadonlyArray<number>
  /** The partial uploads whose parts follow those of the upload, in their order, with how many parts and bytes each one has. */
  readonly partials?: ReadonlyArray<{ readonly id: string; readonly parts: number; readonly bytes: number }> | undefined
  readonly at: DateTime.Utc
  /** Encodes the file as it is stored, for the answer to a repeated completion. */
  readonly answer: (file: StoredFile) => string
}

/** A new content for a file. */
export interface ContentReplacement {
  readonly bucket: BucketRef
  readonly fileId: string
  /** Replaces the content only if the file is in this folder or in one below it. */
  readonly folder?: string | undefined
  readonly content: Content
  readonly assembly?: Assembly | undefined
  readonly description?: ReplacedDescription | undefined
  readonly condition: Precondition
  /** When the blob of the replaced content may be swept: after a grace period for readers that opened it before. */
  readonly sweepAt: DateTime.Utc
}

/** A change of a file's record. New metadata keep the trace of the current content (`TraceMember.keepTrace`). */
export interface FileUpdate {
  readonly bucket: BucketRef
  readonly selector: Selector
  readonly change: UpdateFile
  readonly at: DateTime.Utc
}

/** A change of a file's metadata, by a pure function of the current one. */
export interface MetadataUpdate<E> {
  readonly bucket: BucketRef
  readonly selector: Selector
  readonly change: (metadata: Metadata) => Result.Result<Metadata, E>
  readonly at: DateTime.Utc
}

/** A change of a file's headers, by a pure function of the current ones. */
export interface HeaderUpdate<E> {
  readonly bucket: BucketRef
  readonly selector: Selector
  readonly change: (headers: ReadonlyArray<Header>) => Result.Result<ReadonlyArray<Header>, E>
  readonly at: DateTime.Utc
}

/** The removal of a file. */
export interface FileRemoval {
  readonly bucket: BucketRef
  readonly selector: Selector
  readonly condition: Precondition
  /** When the blob of the removed content may be swept. */
  readonly sweepAt: DateTime.Utc
}

/** Files of one bucket. A method that takes them changes all of them or, if one of them does not exist, none. */
export interface FileSet {
  readonly bucket: BucketRef
  readonly fileIds: ReadonlyArray<string>
  /** Only files in this folder and in those below it exist for the caller. */
  readonly folder?: string | undefined
}

/** What a move does where the bucket has a file at the place of a moved one. */
export interface Conflict {
  /** With `replace` the file at that place is removed, unless it is to be moved itself. */
  readonly onConflict: OnConflict
  /** The only files that `replace` may remove; any when undefined. */
  readonly replaceable?: ReadonlySet<string> | undefined
  /** Random characters for the names of renamed files. */
  readonly suffix: string
}

/** A move of files to another folder, to another name, or both. */
export interface FileMove extends FileSet {
  readonly to: { readonly [Field in keyof Place]?: Place[Field] | undefined }
  readonly conflict: Conflict
  /** Must hold for the content of every file. */
  readonly condition?: Precondition | undefined
  readonly at: DateTime.Utc
  /** When the blobs of replaced files may be swept. */
  readonly sweepAt: DateTime.Utc
}

/** Where a file is after a move. */
export interface MovedFile extends Place {
  readonly id: string
}

export class FileRepository extends Context.Service<
  FileRepository,
  {
    /**
     * Stores a file. A file with content turns its blob from PENDING to READY in the same step. Fails with `NotFound`
     * when there is no such bucket, and with `UploadExpired` when the blob is no longer PENDING. Fails
     * with `QuotaExceeded` when a limit of `CurrentLimits` would be exceeded. Counts the file for the share of `UploadShare`, if it
     * names one, and fails with `ShareExhausted` when its caps do not permit the file besides those of its open uploads, with `NotFound`
     * when the share is removed. An upload in parts has its place in the caps already, so that they count no other open uploads then.
     *
     * With an `assembly`, the content consists of parts of an upload, which is done in the same step; then also fails with
     * `NotFound` when the upload is not open, and with `UploadExpired` when it has changed or expired. A single part becomes the
     * content's blob itself. Parts that are not listed become unused. The same holds for the partial uploads, which are DEAD
     * afterwards.
     */
    readonly insert: (
      bucket: BucketRef,
      file: StoredFile,
      assembly?: Assembly
    ) => Effect.Effect<
      void,
      FileExists | AliasTaken | NotFound | QuotaExceeded | ShareExhausted | UploadExpired | MetadataError
    >

    /**
     * Replaces a file's content: the new blob becomes READY, the previous one DOOMED, the version increases by one.
     * Headers, alias and metadata stay, unless `description` has them: then fails with `AliasTaken` too. Keeps the limits of `CurrentLimits`, as `insert` does. Fails with `PreconditionFailed` and changes nothing unless the condition holds
     * for the content at the time of the commit. Returns the file after the change.
     */
    readonly replaceContent: (
      replacement: ContentReplacement
    ) => Effect.Effect<
      StoredFile,
      AliasTaken | NotFound | PreconditionFailed | QuotaExceeded | UploadExpired | MetadataError
    >

    /** Finds a file, in one statement. */
    readonly find: (bucket: BucketRef, selector: Selector) => Effect.Effect<Option.Option<StoredFile>, MetadataError>

    /**
     * Lists files, ordered by path and name. Takes time in proportion to `limit`, plus a constant: where no index leads from one
     * matching file to the next, the page ends after a fixed number of other files, and may be empty.
     */
    readonly list: (request: FileListRequest) => Effect.Effect<FileSlice, MetadataError>

    /**
     * Lists the folders directly below a path that contain a file at any depth: full paths, in order, after the folder
     * `after`. Takes time in proportion to the number of folders returned, not to the number of files in them.
     */
    readonly listFolders: (request: FolderListRequest) => Effect.Effect<ReadonlyArray<string>, MetadataError>

    /**
     * Lists the files with content by their keys. `after` may be any text. With a delimiter, a prefix that is not after it is not
     * listed. Takes time in proportion to the number of entries returned, not to the number of keys that prefixes stand for.
     */
    readonly listKeys: (request: KeyListRequest) => Effect.Effect<KeySlice, MetadataError>

    /**
     * Counts the files of a folder and of all folders below it, with the markers of these folders, `limit` at most. Takes time in
     * proportion to that number, without reading their records.
     */
    readonly count: (request: FolderCountRequest) => Effect.Effect<number, MetadataError>

    /**
     * Changes the fields that `change` has. Returns the file after the change. Fails with `NotFound` for the name or path of a folder's
     * marker, too.
     */
    readonly update: (
      update: FileUpdate
    ) => Effect.Effect<StoredFile, FileExists | AliasTaken | NotFound | MetadataError>

    /** Replaces a file's metadata by the result of `change`, as `updateHeaders` does with headers. */
    readonly updateMetadata: <E>(update: MetadataUpdate<E>) => Effect.Effect<StoredFile, NotFound | E | MetadataError>

    /**
     * Replaces a file's headers by the result of `change`. A concurrent change of the headers is not lost. When `change`
     * fails, nothing changes. Returns the file after the change.
     */
    readonly updateHeaders: <E>(update: HeaderUpdate<E>) => Effect.Effect<StoredFile, NotFound | E | MetadataError>

    /**
     * Removes a file; its blob becomes DOOMED. Fails with `PreconditionFailed` and changes nothing unless the condition
     * holds for the content at the time of the commit.
     */
    readonly remove: (removal: FileRemoval) => Effect.Effect<void, NotFound | PreconditionFailed | MetadataError>

    /** Removes files; their blobs become DOOMED. The error `NotFound` has the ids of those that do not exist. */
    readonly removeMany: (
      removal: FileSet & { readonly sweepAt: DateTime.Utc }
    ) => Effect.Effect<void, NotFound | MetadataError>

    /**
     * Moves files within their bucket. Ids, contents, metadata, headers and aliases stay. Fails with `FileExists` unless
     * the rule for conflicts resolves it. Returns the places of the files in the order of `fileIds`.
     */
    readonly move: (
      move: FileMove
    ) => Effect.Effect<ReadonlyArray<MovedFile>, FileExists | NotFound | PreconditionFailed | MetadataError>
  }
>()("@holdfast/core/files/FileRepository") {}
