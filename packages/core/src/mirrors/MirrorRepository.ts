/**
 * The port that keeps mirrors. Each method is one atomic step, and sees one tenant's bucket alone; `backlog` sees them all.
 *
 * From `create` on, every change of a file of the bucket that a copy shows makes the file pending, in the step that changes the
 * file; so does its removal. `MirrorTaskRepository` is what a worker does with pending files.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { NotFound } from "../Errors.ts"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { MirrorFile, MirrorFileState } from "./Mirror.ts"
import type { MirrorLoop } from "./MirrorErrors.ts"
import type { MirrorStats } from "./MirrorFields.ts"
import type { StoredMirror } from "./StoredMirror.ts"
import type { TargetAddress } from "./targets/types/TargetTypes.ts"

export interface NewMirror extends BucketRef {
  readonly id: string
  readonly name: string
  readonly address: TargetAddress
  readonly secret: string
  readonly at: DateTime.Utc
}

export interface MirrorChange {
  readonly name?: string | undefined
  readonly paused?: boolean | undefined
  readonly credentials?: { readonly address: TargetAddress; readonly secret: string } | undefined
}

/** A mirror with the counts of its files. */
export interface CountedMirror {
  readonly mirror: StoredMirror
  readonly stats: MirrorStats
}

/** What waits for the mirrors of the whole deployment that are not paused. */
export interface MirrorQueueDepth {
  readonly pending: number
  /** Mirrors that fail as a whole. */
  readonly failing: number
  /** When the oldest change that is pending was made; null when nothing is. */
  readonly oldest: DateTime.Utc | null
}

export class MirrorRepository extends Context.Service<
  MirrorRepository,
  {
    /**
     * Stores a mirror; every file that the bucket has becomes pending, a part now and the rest by `MirrorTaskRepository.fill`.
     * `NotFound` when there is no such bucket. `MirrorLoop` when the target is a bucket of this deployment from which
     * mirrors lead to the source, also when two that would close a loop are made at once.
     */
    readonly create: (mirror: NewMirror) => Effect.Effect<void, NotFound | MirrorLoop | MetadataError>

    readonly find: (
      bucket: BucketRef,
      mirrorId: string,
      at: DateTime.Utc
    ) => Effect.Effect<Option.Option<CountedMirror>, MetadataError>

    /** Mirrors ordered by id. */
    readonly list: (
      bucket: BucketRef,
      after: string | undefined,
      limit: number,
      at: DateTime.Utc
    ) => Effect.Effect<ReadonlyArray<CountedMirror>, MetadataError>

    /** Changes a mirror; with credentials, or when it is resumed, everything pending is due at once. Whether there is one. */
    readonly update: (
      bucket: BucketRef,
      mirrorId: string,
      change: MirrorChange,
      at: DateTime.Utc
    ) => Effect.Effect<boolean, MetadataError>

    /** Removes a mirror; whether there was one. Its rows go later, by `MirrorTaskRepository.clear`. */
    readonly remove: (bucket: BucketRef, mirrorId: string) => Effect.Effect<boolean, MetadataError>

    /** Asks for a comparison with the target; whether there is such a mirror. */
    readonly requestSync: (
      bucket: BucketRef,
      mirrorId: string,
      at: DateTime.Utc
    ) => Effect.Effect<boolean, MetadataError>

    /** What a mirror knows of files, ordered by the files' ids. */
    readonly files: (
      mirrorId: string,
      state: MirrorFileState | undefined,
      after: string | undefined,
      limit: number
    ) => Effect.Effect<ReadonlyArray<MirrorFile>, MetadataError>

    /**
     * What there is to do in the whole deployment; one statement, whose cost grows neither with files nor with what was
     * copied. Counts at most `limit` files. When more are pending, the oldest is looked for at both ends of each mirror's
     * line, and may be missed in between. Files that a mirror does not know yet are left out.
     */
    readonly queueDepth: (limit: number) => Effect.Effect<MirrorQueueDepth, MetadataError>

    /** Replaces a sealed secret by the same one under another key, unless it was changed meanwhile. */
    readonly reseal: (mirrorId: string, former: string, fresh: string) => Effect.Effect<void, MetadataError>
  }
>()("@holdfast/core/mirrors/MirrorRepository") {}
