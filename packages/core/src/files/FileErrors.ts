/**
 * The errors of files, beside those that all services share.
 */
import * as Data from "effect/Data"

/** The bucket already has a file with this path and name. `existingId` is the id of that file. */
export class FileExists extends Data.TaggedError("FileExists")<{
  readonly existingId: string
  /** The file that was to be moved there, if the request names several. */
  readonly fileId?: string | undefined
}> {
  readonly code = "file_exists"
  override get message(): string {
    return this.fileId === undefined
      ? "The bucket already has a file with this path and name."
      : `The bucket already has a file, ${this.existingId}, with the path and name that the file ${this.fileId} would get.`
  }
}

/**
 * Another file of the bucket has this alias. `existingId` is the id of that file; undefined for a caller whose token is limited to a
 * folder, since the file may be in another one.
 */
export class AliasTaken extends Data.TaggedError("AliasTaken")<{ readonly existingId: string | undefined }> {
  readonly code = "alias_taken"
  override readonly message = "Another file of the bucket has this alias."
}

/** The file exists, but no content was uploaded yet. */
export class ContentNotUploaded extends Data.TaggedError("ContentNotUploaded")<{}> {
  readonly code = "content_not_uploaded"
  override readonly message = "The file has no content yet."
}

/** The stored bytes of a content are missing, or not those that were uploaded. */
export class ContentDamaged extends Data.TaggedError("ContentDamaged")<{}> {
  readonly code = "content_damaged"
  override readonly message =
    "The stored bytes of this content are damaged or missing. Upload the content again, or ask the operator of this deployment to restore it."
  /** Its detection is logged, not each request. */
  readonly isExpected = true
}

/** The content has more bytes than `Settings.maxUploadBytes`, or than its bucket accepts. */
export class ContentTooLarge extends Data.TaggedError("ContentTooLarge")<{
  /** Bytes. */
  readonly limit: number
  /** Whether the limit is that of the bucket. */
  readonly isOfBucket?: boolean | undefined
  /** Whether the limit is the length that its upload has declared. */
  readonly isDeclared?: boolean | undefined
}> {
  readonly code = "content_too_large"
  override get message(): string {
    if (this.isDeclared === true) {
      return `The content is larger than ${this.limit} bytes, the length that its upload has declared.`
    }
    return this.isOfBucket === true
      ? `The content is larger than ${this.limit} bytes, the maxFileBytes of its bucket. ` +
          "Upload a smaller content, or raise maxFileBytes of the bucket."
      : `The content is larger than ${this.limit} bytes.`
  }
}

/** The received content does not have the declared SHA-256. */
export class ChecksumMismatch extends Data.TaggedError("ChecksumMismatch")<{}> {
  readonly code = "checksum_mismatch"
  override readonly message = "The content does not have the declared digest."
}

/** The received content has fewer or more bytes than declared. */
export class LengthMismatch extends Data.TaggedError("LengthMismatch")<{}> {
  readonly code = "length_mismatch"
  override readonly message = "The content does not have the declared length."
}

/** The lease of the staged bytes ended before the commit: the process was suspended for longer than `Settings.uploadLease`. */
export class UploadExpired extends Data.TaggedError("UploadExpired")<{}> {
  readonly code = "unavailable"
  override readonly message = "The upload was not committed in time. Retry it."
}
