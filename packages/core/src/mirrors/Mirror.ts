/**
 * A mirror keeps a copy of a bucket at a target, each file under its path and name. The copies follow every change of contents,
 * names, headers and metadata, and every removal. Aliases and conversions are not copied.
 */
import * as Schema from "effect/Schema"
import * as TargetTypes from "./targets/types/TargetTypes.ts"

/** The record that callers see, by type. It contains no secret. */
export const Mirror = Schema.Union(TargetTypes.all.map(({ record }) => record)).annotate({ identifier: "Mirror" })
export type Mirror = typeof Mirror.Type

/**
 * - `PENDING`: the copy is not up to date.
 * - `FAILED`: pending, and the last attempt failed because of this file. The worker retries without end.
 * - `COPIED`: the copy is up to date.
 */
export const MirrorFileState = Schema.Literals(["PENDING", "FAILED", "COPIED"])
export type MirrorFileState = typeof MirrorFileState.Type

/** The state of one file's copy. */
export const MirrorFile = Schema.Struct({
  fileId: Schema.String,
  path: Schema.NullOr(Schema.String).annotate({
    description: "Null when the file was removed and its copy is not removed yet."
  }),
  name: Schema.NullOr(Schema.String),
  state: MirrorFileState,
  error: Schema.NullOr(Schema.String).annotate({ description: "Why the last attempt failed." }),
  attempts: Schema.Int.annotate({ description: "Failed attempts since the file was last copied." }),
  pendingSince: Schema.NullOr(Schema.DateTimeUtcFromString),
  nextTryAt: Schema.NullOr(Schema.DateTimeUtcFromString)
}).annotate({ identifier: "MirrorFile" })
export type MirrorFile = typeof MirrorFile.Type
