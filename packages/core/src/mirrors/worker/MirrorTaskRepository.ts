/**
 * The port through which workers find and do the work of mirrors. Each method is one atomic step.
 *
 * - A task is pending while `done < wanted`; each change of its file increments `wanted`. A worker claims the task with a lease,
 *   brings the target up to date with the file's current state, and completes the task. A change in between leaves it pending.
 * - Every object that may exist at a target belongs to one file: the file takes the name before the first byte is written, and
 *   loses it after the object is removed. A name passes to another file only while no worker has a lease on the file that owns
 *   it. Therefore no two workers change one object at once, also when files are renamed, removed and created again.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import type { MetadataError } from "../../MetadataError.ts"
import type { TargetObject } from "../targets/MirrorTarget.ts"
import type { MirrorTask, TaskLease, TaskResult } from "./MirrorTask.ts"
import type { StoredMirror } from "../StoredMirror.ts"

/** A mirror, and the work that is due for it. */
export interface DueMirror {
  readonly mirror: StoredMirror
  readonly hasTasks: boolean
  /** Whether files of the bucket may still have no task. */
  readonly lacksTasks: boolean
  /** Whether pending tasks are to be retried that wait for a later time. */
  readonly hasRetries: boolean
  readonly isSyncWanted: boolean
  readonly isRemoved: boolean
}

/** The mirrors that a search for work has found. */
export interface DueMirrors {
  readonly mirrors: ReadonlyArray<DueMirror>
  /** The id after which the search continues; null when it has seen the last mirror. */
  readonly next: string | null
}

/** The lease of a worker on the reconciliation of a mirror. */
export interface ReconciliationLease {
  readonly mirrorId: string
  readonly lease: string
  readonly startedAt: DateTime.Utc
}

/** An object at the target of a mirror. */
export interface MirrorCopy {
  readonly mirror: StoredMirror
  readonly name: string
}

export class MirrorTaskRepository extends Context.Service<
  MirrorTaskRepository,
  {
    /**
     * Returns at most `limit` mirrors that have work to do, of as many tenants as possible: one of each tenant comes before a
     * second one of any. Of the mirrors of one tenant it chooses at random. One statement, which looks at a bounded number of
     * mirrors, ordered by id, from the first after the id `after`; those without work cost nothing.
     */
    readonly due: (input: {
      readonly after: string
      readonly limit: number
      readonly now: DateTime.Utc
    }) => Effect.Effect<DueMirrors, MetadataError>

    /** Creates tasks for at most `limit` files of the bucket that have none. Returns whether there may be more such files. */
    readonly createTasks: (input: {
      readonly mirrorId: string
      readonly limit: number
      readonly now: DateTime.Utc
    }) => Effect.Effect<boolean, MetadataError>

    /**
     * Makes about `limit` further tasks due, after the mirror was changed, recovered, or is to be reconciled. Returns whether
     * there may be more of them.
     */
    readonly retryTasks: (input: {
      readonly mirrorId: string
      readonly limit: number
    }) => Effect.Effect<boolean, MetadataError>

    /**
     * Deletes at most `limit` rows of each table that belong to a removed mirror, and then the mirror. Returns whether there may be
     * more. Continues where the former call ended.
     */
    readonly clearRemoved: (input: {
      readonly mirrorId: string
      readonly limit: number
    }) => Effect.Effect<boolean, MetadataError>

    /**
     * Claims at most `limit` pending tasks of a mirror, those first that have been due the longest. A failing mirror yields one
     * task at most, to one worker at a time. Claims none when the mirror is paused, removed, or has changed since it was read.
     */
    readonly claim: (input: {
      readonly mirror: StoredMirror
      readonly limit: number
      readonly lease: string
      readonly leaseUntil: DateTime.Utc
      readonly now: DateTime.Utc
    }) => Effect.Effect<ReadonlyArray<MirrorTask>, MetadataError>

    /**
     * Renews leases. Returns those that are still held. Waits for no other transaction: a lease whose task is locked stays as
     * it is until the next renewal, and is held as long as it has not expired.
     */
    readonly renew: (input: {
      readonly leases: ReadonlyArray<TaskLease>
      readonly leaseUntil: DateTime.Utc
      readonly now: DateTime.Utc
    }) => Effect.Effect<ReadonlyArray<TaskLease>, MetadataError>

    /** Records the results of tasks, and ends their leases. Abandons the tasks whose lease was lost. */
    readonly complete: (input: {
      readonly results: ReadonlyArray<TaskResult>
      readonly now: DateTime.Utc
    }) => Effect.Effect<void, MetadataError>

    /**
     * Ends the leases of tasks whose result is unknown: the target may or may not have their objects. Every file that owns one of
     * the tasks' names is pending again. Does not count as an attempt.
     */
    readonly abandon: (input: {
      readonly tasks: ReadonlyArray<MirrorTask>
      readonly now: DateTime.Utc
    }) => Effect.Effect<void, MetadataError>

    /**
     * Records that a mirror as a whole failed, and when it may be retried. Has no effect when another failure, or a change of
     * its credentials, was recorded since the mirror was read.
     */
    readonly fail: (input: {
      readonly mirror: StoredMirror
      readonly detail: string
      readonly retryAt: DateTime.Utc
      readonly now: DateTime.Utc
    }) => Effect.Effect<void, MetadataError>

    /**
     * Records that a failing mirror works again. The tasks that waited because of the failure are due: some at once, and the rest
     * by `retryTasks`.
     */
    readonly recover: (input: {
      readonly mirrorId: string
      readonly now: DateTime.Utc
    }) => Effect.Effect<void, MetadataError>

    /**
     * Claims the reconciliation that was requested. Returns false when none is requested, or another worker has it. Also lets
     * `createTasks` create tasks for files that have none.
     */
    readonly claimReconciliation: (input: {
      readonly reconciliation: ReconciliationLease
      readonly leaseUntil: DateTime.Utc
    }) => Effect.Effect<boolean, MetadataError>

    /** Renews the lease of a reconciliation. Returns whether it was still held. */
    readonly renewReconciliation: (input: {
      readonly reconciliation: ReconciliationLease
      readonly leaseUntil: DateTime.Utc
    }) => Effect.Effect<boolean, MetadataError>

    /** Compares objects that the target has with those that were written. The owners of changed objects are pending again. */
    readonly compare: (input: {
      readonly reconciliation: ReconciliationLease
      readonly objects: ReadonlyArray<TargetObject>
      readonly now: DateTime.Utc
    }) => Effect.Effect<void, MetadataError>

    /** Returns those of the names that belong to a file of the mirror. */
    readonly findOwnNames: (input: {
      readonly mirrorId: string
      readonly names: ReadonlyArray<string>
    }) => Effect.Effect<ReadonlyArray<string>, MetadataError>

    /**
     * Compares the next `limit` written objects, ordered by name, with those that the target has: the owners of objects that were
     * not among those given to `compare` are pending again. Call it when all objects are compared, first with null and then with
     * the result, until that is null. Does nothing, and returns null, when the lease was lost.
     */
    readonly markMissing: (input: {
      readonly reconciliation: ReconciliationLease
      readonly after: string | null
      readonly limit: number
      readonly now: DateTime.Utc
    }) => Effect.Effect<string | null, MetadataError>

    /** Ends a reconciliation. One that is not complete is still requested. */
    readonly completeReconciliation: (input: {
      readonly reconciliation: ReconciliationLease
      readonly isComplete: boolean
    }) => Effect.Effect<void, MetadataError>

    /**
     * Finds the objects that were written with these bytes for a file, at mirrors of its bucket that are ACTIVE: neither paused nor
     * failing. The object may have changed since.
     */
    readonly findCopies: (content: {
      readonly bucket: BucketRef
      readonly fileId: string
      /** Hexadecimal. */
      readonly sha256: string
    }) => Effect.Effect<ReadonlyArray<MirrorCopy>, MetadataError>

    /** Replaces the sealed secret of a mirror by the same secret sealed with another key, unless it changed since it was read. */
    readonly reseal: (input: {
      readonly mirrorId: string
      readonly former: string
      readonly current: string
    }) => Effect.Effect<void, MetadataError>
  }
>()("@holdfast/core/mirrors/worker/MirrorTaskRepository") {}
