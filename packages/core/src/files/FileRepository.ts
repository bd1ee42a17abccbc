/**
 * The port that keeps files. Each method is one atomic step, and sees one tenant's bucket alone.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Result from "effect/Result"
import type { NotFound, PreconditionFailed } from "../Errors.ts"
import type { Header } from "../headers/Header.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { Content, FileState, StoredFile, UpdateFile } from "./File.ts"
import type { AliasTaken, FileExists, UploadExpired } from "./FileErrors.ts"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type { Selector } from "./FileRef.ts"
import type { FileType } from "./FileType.ts"
import type { Precondition } from "./Precondition.ts"

/** What a list is asked for. */
export interface FileQuery {
  /** The folder: normalised, with both slashes. */
  readonly path: string
  /** Whether files of the folders below belong to the list. */
  readonly recursive: boolean
  /** Names begin with this. */
  readonly name?: string | undefined
  readonly state?: FileState | undefined
  readonly type?: FileType | undefined
}

/** A place in the order of a list: by path, then by name, both by code point (UTF-8 bytes). */
export interface Position {
  readonly path: string
  readonly name: string
}

/** When blobs that are no longer any file's content may be swept: late enough for readers that began before. */
export interface Doom {
  readonly sweepAt: DateTime.Utc
}

export class FileRepository extends Context.Service<
  FileRepository,
  {
    /**
     * Stores a file. With content, its blob goes from PENDING to READY in the same step. `NotFound` when there is no
     * such bucket; `UploadExpired` when the blob is not PENDING any more.
     */
    readonly insert: (
      bucket: BucketRef,
      file: StoredFile
    ) => Effect.Effect<void, FileExists | AliasTaken | NotFound | UploadExpired | MetadataError>

    /**
     * Gives a file another content: its blob becomes READY, the former one DOOMED, the version one higher. Headers,
     * alias and metadata stay. Nothing changes unless the condition holds for the content that stands then. Answers
     * with the file as it stands afterwards.
     */
    readonly replaceContent: (
      bucket: BucketRef,
      fileId: string,
      content: Content,
      condition: Precondition,
      doom: Doom
    ) => Effect.Effect<StoredFile, NotFound | PreconditionFailed | UploadExpired | MetadataError>

    /** One statement. */
    readonly find: (bucket: BucketRef, selector: Selector) => Effect.Effect<Option.Option<StoredFile>, MetadataError>

    /** Files in order of path and name, after a position. */
    readonly list: (
      bucket: BucketRef,
      query: FileQuery,
      after: Position | undefined,
      limit: number
    ) => Effect.Effect<ReadonlyArray<StoredFile>, MetadataError>

    /**
     * The folders directly below a path that hold a file somewhere below, as full paths in order, after one. Takes time in
     * the number of folders answered, not of files.
     */
    readonly listFolders: (
      bucket: BucketRef,
      path: string,
      after: string | undefined,
      limit: number
    ) => Effect.Effect<ReadonlyArray<string>, MetadataError>

    readonly update: (
      bucket: BucketRef,
      selector: Selector,
      change: UpdateFile,
      at: DateTime.Utc
    ) => Effect.Effect<StoredFile, FileExists | AliasTaken | NotFound | MetadataError>

    /** Changes a file's headers by a pure function of those that stand; concurrent changes do not lose each other. */
    readonly updateHeaders: <E>(
      bucket: BucketRef,
      selector: Selector,
      change: (headers: ReadonlyArray<Header>) => Result.Result<ReadonlyArray<Header>, E>,
      at: DateTime.Utc
    ) => Effect.Effect<StoredFile, NotFound | E | MetadataError>

    /** Removes a file; its blob becomes DOOMED. Nothing changes unless the condition holds. */
    readonly remove: (
      bucket: BucketRef,
      selector: Selector,
      condition: Precondition,
      doom: Doom
    ) => Effect.Effect<void, NotFound | PreconditionFailed | MetadataError>
  }
>()("@holdfast/core/files/FileRepository") {}
