/**
 * The port that stores mirrors. Each method is one atomic step. All methods but `files` and `queueDepth` see the mirrors of one
 * bucket only.
 *
 * From `create` on, every change of a file that its copy shows makes the file pending, in the transaction of the change; so does
 * its removal. `MirrorTaskRepository` is the port for what a worker does with pending files.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type { Forbidden, InvalidRequest, NotFound, Unauthenticated, QuotaExceeded } from "../Errors.ts"
import type { CreatedBy } from "../access/Creator.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { MirrorFile, MirrorFileState } from "./Mirror.ts"
import type { MirrorLoop } from "./MirrorErrors.ts"
import type { MirrorStats } from "./targets/types/CommonFields.ts"
import type { TargetAddress } from "./targets/types/TargetTypes.ts"
import type { StoredMirror } from "./StoredMirror.ts"

/** Names a mirror, and the bucket that it copies. */
export interface MirrorRef extends BucketRef {
  /** The `id` of the mirror. */
  readonly mirrorId: string
}

export interface NewMirror extends BucketRef {
  readonly id: string
  readonly name: string
  readonly address: TargetAddress
  /** Sealed, with the mirror's id as context. */
  readonly secret: string
  readonly createdBy: CreatedBy
  readonly at: DateTime.Utc
}

export interface MirrorChange {
  readonly name?: string | undefined
  readonly paused?: boolean | undefined
  readonly credentials?: { readonly address: TargetAddress; readonly secret: string } | undefined
}

/** Files of each state that are counted for one record. A list of mirrors divides them, with 100 at least for each. */
export const maxCounted = 2000

/** A mirror with the counts of its files, which are capped. */
export interface CountedMirror {
  readonly mirror: StoredMirror
  readonly stats: MirrorStats
}

/** The pending work of all mirrors of the deployment that are not paused. */
export interface MirrorQueueDepth {
  /** Files. */
  readonly pending: number
  /** Mirrors that fail as a whole. */
  readonly failing: number
  /** The time of the oldest pending change; null when nothing is pending. */
  readonly oldest: DateTime.Utc | null
}

export class MirrorRepository extends Context.Service<
  MirrorRepository,
  {
    /**
     * Stores a mirror. Every file of the bucket becomes pending: some at once, and the rest by `MirrorTaskRepository.createTasks`.
     * `NotFound` when the bucket does not exist. `MirrorLoop` when the target is a bucket of this deployment from which mirrors
     * lead to the source, also when two mirrors that close a loop are created at once. `Forbidden` or `Unauthenticated` when
     * the creator has been removed, demoted or revoked meanwhile, also at the same time.
     */
    readonly create: (
      mirror: NewMirror
    ) => Effect.Effect<
      void,
      NotFound | MirrorLoop | Forbidden | Unauthenticated | InvalidRequest | QuotaExceeded | MetadataError
    >

    /** Finds a mirror; its age in `stats` is relative to `now`. */
    readonly find: (mirror: MirrorRef, now: DateTime.Utc) => Effect.Effect<Option.Option<CountedMirror>, MetadataError>

    /** Lists the mirrors of a bucket, ordered by id, from the first after the id `after`. */
    readonly list: (input: {
      readonly bucket: BucketRef
      readonly after: string | undefined
      readonly limit: number
      readonly now: DateTime.Utc
    }) => Effect.Effect<ReadonlyArray<CountedMirror>, MetadataError>

    /**
     * Changes a mirror. New credentials, and resuming, end its failure and make all pending tasks due: some at once, and the
     * rest by `MirrorTaskRepository.retryTasks`. Returns whether the mirror exists.
     */
    readonly update: (input: {
      readonly mirror: MirrorRef
      readonly change: MirrorChange
      readonly now: DateTime.Utc
    }) => Effect.Effect<boolean, MetadataError>

    /** Removes a mirror. Returns whether it existed. `MirrorTaskRepository.clearRemoved` deletes its rows later. */
    readonly remove: (mirror: MirrorRef) => Effect.Effect<boolean, MetadataError>

    /** Requests a reconciliation with the target. Returns whether the mirror exists. */
    readonly requestSync: (mirror: MirrorRef, now: DateTime.Utc) => Effect.Effect<boolean, MetadataError>

    /** Lists the files of a mirror that have a task, ordered by file id, from the first after the id `after`. */
    readonly files: (input: {
      readonly mirrorId: string
      /** Files in any state when undefined. */
      readonly state: MirrorFileState | undefined
      readonly after: string | undefined
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<MirrorFile>, MetadataError>

    /**
     * Returns the pending work of the deployment. One statement, whose cost depends neither on the number of files nor on what
     * was copied. Counts at most `limit` files. When more are pending, it searches for the oldest change at both ends of each
     * mirror's queue, and may miss one in between. Ignores files that have no task yet.
     */
    readonly queueDepth: (limit: number) => Effect.Effect<MirrorQueueDepth, MetadataError>
  }
>()("@holdfast/core/mirrors/MirrorRepository") {}
