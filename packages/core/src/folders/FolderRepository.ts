/**
 * The port that moves and removes folders. Few files are moved or removed in one transaction; more are a job, which a worker finishes
 * in steps.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type { InvalidRequest, NotFound, QuotaExceeded } from "../Errors.ts"
import type { EventActor } from "../events/Event.ts"
import type { FileExists } from "../files/FileErrors.ts"
import type { Conflict } from "../files/FileRepository.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { Step } from "../workers/StepWorker.ts"
import type { FolderJob, FolderJobKind, FolderJobRef } from "./FolderJob.ts"

/** A folder to move or to remove. */
export interface FolderChange {
  readonly bucket: BucketRef
  /** The id of the job, if one is needed. */
  readonly jobId: string
  readonly kind: FolderJobKind
  /** Normalised, with a leading and a trailing slash. */
  readonly path: string
  /** The new path; null for a removal. */
  readonly to: string | null
  /** A file of the folder itself is never replaced. */
  readonly conflict: Conflict
  /** When it was requested. A job leaves files that were changed later. */
  readonly at: DateTime.Utc
  /** When the blobs of removed files may be swept. */
  readonly sweepAt: DateTime.Utc
}

/** A job that this process has claimed. */
export interface FolderJobClaim {
  readonly id: string
  readonly bucket: BucketRef
  readonly kind: FolderJobKind
  readonly path: string
  /** The new path; null for a removal. */
  readonly to: string | null
  readonly lease: string
  /** Who requested it: the author of the events of its files. */
  readonly author: EventActor
}

export class FolderRepository extends Context.Service<
  FolderRepository,
  {
    /**
     * Moves or removes a folder with few files. Otherwise stores a job that is RUNNING, and changes no file yet. Fails with `NotFound`
     * when the folder has no files, with `FileExists` unless the rule for conflicts resolves a conflict, with `InvalidRequest` when a
     * path would be too long, and with `QuotaExceeded` when the bucket has too many running jobs.
     */
    readonly start: (
      change: FolderChange
    ) => Effect.Effect<FolderJob, NotFound | FileExists | InvalidRequest | QuotaExceeded | MetadataError>

    /** Finds a job: a running one, or one of the latest finished ones of the bucket. */
    readonly find: (job: FolderJobRef) => Effect.Effect<Option.Option<FolderJob>, MetadataError>

    /** Claims the job that has waited longest; none when none is due. */
    readonly claim: (terms: {
      readonly lease: string
      readonly leaseUntil: DateTime.Utc
      readonly now: DateTime.Utc
    }) => Effect.Effect<Option.Option<FolderJobClaim>, MetadataError>

    /**
     * Moves or removes the next files of a job, at most `limit`, and renews the lease. A conflict that the rule does not resolve
     * makes the job FAILED; none of the files of this step is moved then.
     */
    readonly step: (terms: {
      readonly claim: FolderJobClaim
      readonly limit: number
      readonly leaseUntil: DateTime.Utc
      /** Random characters for the names of renamed files. */
      readonly suffix: string
      readonly at: DateTime.Utc
      readonly sweepAt: DateTime.Utc
    }) => Effect.Effect<Step, MetadataError>

    /** Ends a claimed job as FAILED. Files that it has not reached stay. */
    readonly fail: (terms: {
      readonly claim: FolderJobClaim
      readonly error: NonNullable<FolderJob["error"]>
      readonly at: DateTime.Utc
    }) => Effect.Effect<Step, MetadataError>

    /**
     * Ends a running job as CANCELLED, after the step that may be running. Returns the job as it is then: one that has ended before is
     * unchanged. None when there is no such job.
     */
    readonly cancel: (job: FolderJobRef, at: DateTime.Utc) => Effect.Effect<Option.Option<FolderJob>, MetadataError>

    /** Releases a claimed job: another process may claim it from `dueAt` on. */
    readonly release: (claim: FolderJobClaim, dueAt: DateTime.Utc) => Effect.Effect<void, MetadataError>
  }
>()("@holdfast/core/folders/FolderRepository") {}
