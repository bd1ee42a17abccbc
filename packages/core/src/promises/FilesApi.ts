/**
 * `holdfast.files`: records and contents.
 */
import * as Effect from "effect/Effect"
import { Downloads } from "../files/Downloads.ts"
import type * as File from "../files/File.ts"
import type * as FileList from "../files/FileList.ts"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type { FileRef } from "../files/FileRef.ts"
import { Files } from "../files/Files.ts"
import * as NewFile from "../files/NewFile.ts"
import type { Precondition } from "../files/Precondition.ts"
import type { Announced } from "../files/Staging.ts"
import { Uploads } from "../files/Uploads.ts"
import type { ActorHandle } from "./Actors.ts"
import type { Call } from "./Call.ts"
import { DownloadHandle, type RangeInput, within } from "./DownloadHandle.ts"
import * as Plain from "./Plain.ts"
import type { CallOptions } from "./Runner.ts"
import { lengthOf, type Source, toStream } from "./ContentSource.ts"

export type FileRecord = Plain.Plain<File.File>

/** What comes with a content: announcements that are checked, and conditions on what stands. */
export interface ContentInput extends Announced, Precondition {
  readonly content: Source
}

export type UploadInput = BucketRef & File.CreateFile & ContentInput
export type ReuploadInput = FileRef & ContentInput
export type ReadInput = FileRef & { readonly range?: RangeInput | undefined }

const announced = (input: ContentInput) => ({
  length: input.length ?? lengthOf(input.content),
  sha256: input.sha256,
  contentType: input.contentType,
  condition: { ifMatch: input.ifMatch, ifNoneMatch: input.ifNoneMatch }
})

export class FilesApi {
  readonly #call: Call

  constructor(call: Call) {
    this.#call = call
  }

  /**
   * Creates a file with its content. When it resolves the bytes are durable; when it rejects nothing is stored.
   * Rejects with `FileExists`, `AliasTaken`, `InvalidRequest`, `ContentTooLarge`, `ChecksumMismatch`,
   * `LengthMismatch`, `SourceFailed`, `NotFound` (bucket), `Forbidden`, `Unauthenticated`, `Aborted`, or a storage error.
   */
  upload(actor: ActorHandle, input: UploadInput, options?: CallOptions): Promise<FileRecord> {
    return this.#call(actor, input, options, (as) =>
      Effect.gen(function* () {
        const { upload } = yield* Uploads
        // Checked before the content is touched: a bad name should not cost a transfer.
        const description = yield* NewFile.decode(input)
        const content = yield* toStream(input.content)
        return Plain.fromCore(yield* upload(as, input, content, Effect.succeed(description), announced(input)))
      })
    )
  }

  /**
   * Replaces a file's content; id, headers, alias and metadata stay. Readers see wholly the old or wholly the new
   * bytes. Rejects as `upload` does, and with `PreconditionFailed` when `ifMatch` or `ifNoneMatch` does not hold.
   */
  reupload(actor: ActorHandle, input: ReuploadInput, options?: CallOptions): Promise<FileRecord> {
    return this.#call(actor, input, options, (as) =>
      Effect.gen(function* () {
        const { reupload } = yield* Uploads
        const content = yield* toStream(input.content)
        return Plain.fromCore(yield* reupload(as, input, content, announced(input)))
      })
    )
  }

  /** Reserves an entry without content, to be filled by `reupload`. */
  reserve(actor: ActorHandle, input: BucketRef & File.CreateFile, options?: CallOptions): Promise<FileRecord> {
    return this.#call(actor, input, options, (as) =>
      Effect.map(
        Files.use((files) => files.reserve(as, input, input)),
        Plain.fromCore
      )
    )
  }

  /** Opens a content for reading, whole or a range of it. Rejects with `ContentNotUploaded` while it is reserved. */
  read(actor: ActorHandle, input: ReadInput, options?: CallOptions): Promise<DownloadHandle> {
    return this.#call(actor, input, options, (as) =>
      Effect.gen(function* () {
        const { open } = yield* Downloads
        const download = yield* open(as, input)
        const range = yield* within(download.content.size, input.range)
        return new DownloadHandle(download, range, yield* Effect.context<never>())
      })
    )
  }

  /** A file's record; `file` is its id, or `@alias`. */
  get(
    actor: ActorHandle,
    input: FileRef & { readonly expands?: ReadonlyArray<File.Expand> | undefined },
    options?: CallOptions
  ): Promise<FileRecord> {
    return this.#call(actor, input, options, (as) =>
      Effect.map(
        Files.use((files) => files.get(as, input, input.expands)),
        Plain.fromCore
      )
    )
  }

  /** A folder's folders, then its files; or with `recursive` every file below it. */
  list(
    actor: ActorHandle,
    input: BucketRef & FileList.Request,
    options?: CallOptions
  ): Promise<Plain.Plain<FileList.FilePage>> {
    return this.#call(actor, input, options, (as) =>
      Effect.map(
        Files.use((files) => files.list(as, input, input)),
        Plain.fromCore
      )
    )
  }

  /** Renames, moves, and changes alias and metadata. */
  update(actor: ActorHandle, input: FileRef & File.UpdateFile, options?: CallOptions): Promise<FileRecord> {
    return this.#call(actor, input, options, (as) =>
      Effect.map(
        Files.use((files) => files.update(as, input, input)),
        Plain.fromCore
      )
    )
  }

  /** Removes a file for good. Readers that began before still read to the end. */
  remove(actor: ActorHandle, input: FileRef & Precondition, options?: CallOptions): Promise<void> {
    return this.#call(actor, input, options, (as) => Files.use((files) => files.remove(as, input, input)))
  }
}
