/**
 * The errors of uploads in parts, beside those of files.
 */
import * as Data from "effect/Data"
import { Forbidden } from "../Errors.ts"

/** Another request has taken the upload over, or has appended to it, since this one began. */
export class UploadSuperseded extends Data.TaggedError("UploadSuperseded")<{}> {
  readonly code = "upload_superseded"
  override readonly message =
    "Another request has continued this upload meanwhile. Ask for the offset of the upload, and continue there."
}

/** The request does not continue where the upload ends. */
export class OffsetMismatch extends Data.TaggedError("OffsetMismatch")<{
  /** Where the upload ends, in bytes. */
  readonly offset: number
}> {
  readonly code = "offset_mismatch"
  override get message(): string {
    return `The upload has ${this.offset} bytes. Continue at this offset.`
  }
}

/** The upload lacks bytes of its declared length. */
export class UploadIncomplete extends Data.TaggedError("UploadIncomplete")<{
  /** Bytes that the upload has. */
  readonly received: number
  /** Bytes of the whole content. */
  readonly length: number
}> {
  readonly code = "upload_incomplete"
  override get message(): string {
    return `The upload has ${this.received} of ${this.length} bytes. Upload the others before you complete it.`
  }
}

/** An upload of partial ones takes no bytes of its own. */
export const takesNoBytes = new Forbidden("The upload is the concatenation of others and takes no bytes.")
