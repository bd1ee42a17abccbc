/**
 * What can go wrong with files, beyond the errors that every service shares.
 */
import * as Data from "effect/Data"

/** The bucket has a file of this path and name. */
export class FileExists extends Data.TaggedError("FileExists")<{ readonly existingId: string }> {
  readonly code = "file_exists"
  override readonly message = "The bucket has a file of this path and name already."
}

/** Another file of the bucket has this alias. */
export class AliasTaken extends Data.TaggedError("AliasTaken")<{ readonly existingId: string }> {
  readonly code = "alias_taken"
  override readonly message = "Another file of the bucket has this alias."
}

/** The record stands, but its bytes were never uploaded. */
export class ContentNotUploaded extends Data.TaggedError("ContentNotUploaded")<{}> {
  readonly code = "content_not_uploaded"
  override readonly message = "The file has no content yet."
}

/** More bytes than the deployment takes in one upload. */
export class ContentTooLarge extends Data.TaggedError("ContentTooLarge")<{
  /** Bytes. */
  readonly limit: number
}> {
  readonly code = "content_too_large"
  override get message(): string {
    return `The content is larger than ${this.limit} bytes.`
  }
}

/** The bytes that came are not the ones whose digest was announced. */
export class ChecksumMismatch extends Data.TaggedError("ChecksumMismatch")<{}> {
  readonly code = "checksum_mismatch"
  override readonly message = "The content does not have the announced digest."
}

/** Fewer or more bytes came than were announced. */
export class LengthMismatch extends Data.TaggedError("LengthMismatch")<{}> {
  readonly code = "length_mismatch"
  override readonly message = "The content does not have the announced length."
}

/** The staged bytes were given up before they were committed: the process stood still for longer than its lease. */
export class UploadExpired extends Data.TaggedError("UploadExpired")<{}> {
  readonly code = "unavailable"
  override readonly message = "The upload took too long to be committed; try again."
}
