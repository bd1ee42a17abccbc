/**
 * The port through which workers find and do the work of mirrors. Each method is one atomic step.
 *
 * - A file is pending while `done < wanted`; each change of it raises `wanted`. A worker claims it with a lease, brings the
 *   target to what the file is then, and settles; a change in between leaves it pending.
 * - Every object that may stand at a target belongs to one file: the name is taken before the first byte is written and given
 *   up after the object is removed. A name passes to another file only while no worker holds the one that had it. So no two
 *   workers ever change one object at once, whatever is renamed, removed and made anew.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type { MetadataError } from "../../MetadataError.ts"
import type { TargetObject } from "../targets/MirrorTarget.ts"
import type { TaskLease, MirrorTask, TaskResult } from "./MirrorTask.ts"
import type { StoredMirror } from "../StoredMirror.ts"

/** A mirror, and what is to be done for it. */
export interface DueMirror {
  readonly mirror: StoredMirror
  readonly hasTasks: boolean
  /** Whether files of the bucket have still to be made pending. */
  readonly isFilling: boolean
  readonly isSyncWanted: boolean
  readonly isRemoved: boolean
}

/** A comparison with the target, held by one worker. */
export interface ReconciliationLease {
  readonly mirrorId: string
  readonly lease: string
  readonly startedAt: DateTime.Utc
}

export class MirrorTaskRepository extends Context.Service<
  MirrorTaskRepository,
  {
    /** Mirrors for which there is something to do, in order of their ids, those after an id first; one statement. */
    readonly due: (
      at: DateTime.Utc,
      after: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<DueMirror>, MetadataError>

    /** Makes at most this many files pending that the mirror does not know yet; whether there may be more. */
    readonly fill: (mirrorId: string, limit: number, at: DateTime.Utc) => Effect.Effect<boolean, MetadataError>

    /** Takes away at most this many rows of a removed mirror; whether there may be more. */
    readonly clear: (mirrorId: string, limit: number) => Effect.Effect<boolean, MetadataError>

    /**
     * Claims pending files of a mirror, those that have waited longest first. A mirror in trouble gives one at most, to one
     * worker at a time. None when the mirror is paused, removed, or not the one that was found due.
     */
    readonly claim: (
      mirror: StoredMirror,
      limit: number,
      lease: string,
      at: DateTime.Utc,
      leaseUntil: DateTime.Utc
    ) => Effect.Effect<ReadonlyArray<MirrorTask>, MetadataError>

    /** Prolongs holds; answers with the leases and files that still stand. */
    readonly renew: (
      holds: ReadonlyArray<TaskLease>,
      leaseUntil: DateTime.Utc
    ) => Effect.Effect<ReadonlyArray<TaskLease>, MetadataError>

    /**
     * Ends holds with what became of them. One that was lost in the meantime is treated as `doubt` does.
     */
    readonly complete: (outcomes: ReadonlyArray<TaskResult>, at: DateTime.Utc) => Effect.Effect<void, MetadataError>

    /**
     * Ends holds with nothing known of what stands at the target under the tasks' names: whoever has these names is pending
     * anew. Counts no try.
     */
    readonly abandon: (tasks: ReadonlyArray<MirrorTask>, at: DateTime.Utc) => Effect.Effect<void, MetadataError>

    /**
     * Notes that a mirror as a whole failed, and when it may be tried again; unless another failure, or a change of its
     * credentials, was noted since the mirror was read.
     */
    readonly fail: (
      mirror: StoredMirror,
      detail: string,
      at: DateTime.Utc,
      retryAt: DateTime.Utc
    ) => Effect.Effect<void, MetadataError>

    /** Notes that a mirror in trouble works again; all that waited for it is due at once. */
    readonly recover: (mirrorId: string, at: DateTime.Utc) => Effect.Effect<void, MetadataError>

    /** Takes the comparison that was asked for, unless another worker has it; also makes unknown files pending. */
    readonly claimReconciliation: (
      sync: ReconciliationLease,
      leaseUntil: DateTime.Utc
    ) => Effect.Effect<boolean, MetadataError>

    readonly renewReconciliation: (
      sync: ReconciliationLease,
      leaseUntil: DateTime.Utc
    ) => Effect.Effect<boolean, MetadataError>

    /** Compares objects that stand at the target with those that were written; whoever has a changed one is pending. */
    readonly compare: (
      sync: ReconciliationLease,
      objects: ReadonlyArray<TargetObject>,
      at: DateTime.Utc
    ) => Effect.Effect<void, MetadataError>

    /** Returns those of the names that belong to a file of the mirror, as objects that may stand at its target. */
    readonly findOwnNames: (input: {
      readonly mirrorId: string
      readonly names: ReadonlyArray<string>
    }) => Effect.Effect<ReadonlyArray<string>, MetadataError>

    /**
     * Ends a comparison. When it is `complete`, whoever has an object that was not among those compared is pending; otherwise
     * it is still wanted.
     */
    readonly completeReconciliation: (
      sync: ReconciliationLease,
      isComplete: boolean,
      at: DateTime.Utc
    ) => Effect.Effect<void, MetadataError>
  }
>()("@holdfast/core/mirrors/worker/MirrorTaskRepository") {}
