/**
 * The share by which a file is uploaded. The step that stores the file counts it, so that a crash leaves no upload counted that stored
 * none, and uploads at the same time never exceed the caps of the share.
 */
import * as Context from "effect/Context"

/** The id of the share whose caps the inserted file must keep; undefined for files that no share counts. */
export const UploadShare = Context.Reference<string | undefined>("@holdfast/core/files/shares/UploadShare", {
  defaultValue: () => undefined
})
