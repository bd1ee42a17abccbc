/**
 * Folders of a bucket: `holdfast.folders` and `client.folders`.
 */
import type { BucketRef } from "../../buckets/BucketRef.ts"
import type { FolderJobRef } from "../../folders/FolderJob.ts"
import { Folders } from "../../folders/Folders.ts"
import type { ActorHandle } from "../internal/ActorHandle.ts"
import { bind, type Invoke } from "../internal/BindOperations.ts"
import * as Fields from "../internal/options/InputFields.ts"
import type { Methods } from "../Operations.ts"
import type { MoveRule } from "./internal/FileRecords.ts"

/** The move or the removal of a folder. */
export interface FolderJobRecord<Time = Date> {
  /** The `jobId` in the input of `job`; null when the call has done all of it. */
  readonly id: string | null
  readonly kind: "REMOVE" | "MOVE"
  /** The folder. */
  readonly path: string
  /** The new path of the folder; null for a removal. */
  readonly to: string | null
  /** `FAILED`: the job met what `error` says and stopped. `CANCELLED`: `cancel` stopped it. The files that it has not reached are where they were. */
  readonly state: "RUNNING" | "DONE" | "FAILED" | "CANCELLED"
  /** The files that were moved or removed so far. */
  readonly files: number
  /** Why the job failed, with the `code` of an error. */
  readonly error: { readonly code: string; readonly detail: string } | null
  readonly createdAt: Time
  readonly updatedAt: Time
}

export interface MoveFolderInput extends BucketRef, MoveRule {
  /** The folder, such as `/reports/2026/`. */
  readonly path: string
  /** Its new path. Files that are there already stay. */
  readonly to: string
}

export interface RemoveFolderInput extends BucketRef {
  /** The folder. With `/`, all files of the bucket are removed. */
  readonly path: string
}

export interface FolderOperations<Time> {
  /**
   * Moves a folder with all its files and folders. One with at most 500 files is moved as a whole or not at all; otherwise the result
   * is a job that is RUNNING. Rejects with `file_exists` and `quota_exceeded`.
   */
  move(input: MoveFolderInput): FolderJobRecord<Time>

  /** Removes a folder with all its files and folders, as `move` moves one; this cannot be undone. Rejects with `quota_exceeded`. */
  remove(input: RemoveFolderInput): FolderJobRecord<Time>

  /** Returns the progress of a job. A bucket keeps its latest 100 finished ones. */
  job(input: FolderJobRef): FolderJobRecord<Time>

  /** Stops a running job. The files that it has not reached stay where they are. Returns the job; one that has ended is unchanged. */
  cancel(input: FolderJobRef): FolderJobRecord<Time>
}

export interface FoldersApi extends Methods<FolderOperations<Date>, [actor: ActorHandle]> {}

export const make = (invoke: Invoke): FoldersApi =>
  bind<FolderOperations<Date>>(
    invoke,
    {
      move: (actor, input) => Folders.use((service) => service.move(actor, input, input)),
      remove: (actor, input) => Folders.use((service) => service.remove(actor, input, input)),
      job: (actor, input) => Folders.use((service) => service.job(actor, input)),
      cancel: (actor, input) => Folders.use((service) => service.cancel(actor, input))
    },
    {
      move: { ...Fields.bucket, path: true, to: true, onConflict: true },
      remove: { ...Fields.bucket, path: true },
      job: { ...Fields.bucket, jobId: "id" },
      cancel: { ...Fields.bucket, jobId: "id" }
    }
  )
