/**
 * The move or removal of a folder with all its files. One with many files is a job: a worker moves or removes them in steps.
 */
import * as Schema from "effect/Schema"
import { FolderPath } from "../access/FolderPath.ts"
import type { BucketRef } from "../buckets/BucketRef.ts"
import * as MoveFile from "../files/moves/MoveFile.ts"

export interface FolderJobRef extends BucketRef {
  /** The `id` of the job. */
  readonly jobId: string
}

export const RemoveFolder = Schema.Struct({
  path: FolderPath.annotate({ description: "The folder. With `/`, all files of the bucket are removed." })
}).annotate({ identifier: "RemoveFolder" })
export type RemoveFolder = typeof RemoveFolder.Type

export const MoveFolder = Schema.Struct({
  path: FolderPath.annotate({ description: "The folder." }),
  to: FolderPath.annotate({ description: "The new path of the folder. Files that are there already stay." }),
  onConflict: Schema.optional(MoveFile.OnConflict)
})
  .check(
    Schema.makeFilter(({ path, to }) =>
      to.startsWith(path) ? { path: ["to"], issue: "must not be the folder itself or in it" } : undefined
    )
  )
  .annotate({ identifier: "MoveFolder" })
export type MoveFolder = typeof MoveFolder.Type

export const FolderJobKind = Schema.Literals(["REMOVE", "MOVE"])
export type FolderJobKind = typeof FolderJobKind.Type

export const FolderJobState = Schema.Literals(["RUNNING", "DONE", "FAILED", "CANCELLED"])
export type FolderJobState = typeof FolderJobState.Type

export const FolderJob = Schema.Struct({
  id: Schema.NullOr(Schema.String).annotate({
    description: "Null when the request has done all of it: there is nothing to ask for."
  }),
  kind: FolderJobKind,
  path: Schema.String,
  to: Schema.NullOr(Schema.String).annotate({ description: "The new path of the folder; null for a removal." }),
  state: FolderJobState.annotate({
    description:
      "`FAILED`: the job met what `error` says and stopped. `CANCELLED`: a request stopped it. The files that it has not reached are where they were."
  }),
  files: Schema.Int.annotate({ description: "The files that were moved or removed so far." }),
  error: Schema.NullOr(Schema.Struct({ code: Schema.String, detail: Schema.String })),
  createdAt: Schema.DateTimeUtcFromString,
  updatedAt: Schema.DateTimeUtcFromString
}).annotate({ identifier: "FolderJob" })
export type FolderJob = typeof FolderJob.Type
