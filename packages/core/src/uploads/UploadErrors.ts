/**
 * The errors of uploads in parts, beside those of files.
 */
import * as Data from "effect/Data"

/** Another request has taken the upload over, or has appended to it, since this one began. */
export class UploadSuperseded extends Data.TaggedError("UploadSuperseded")<{}> {
  readonly code = "upload_superseded"
  override readonly message =
    "Another request has continued this upload meanwhile. Ask for the offset of the upload, and continue there."
}
