/**
 * The port that keeps the life of every blob: PENDING while its bytes come, READY while it is a file's content or a
 * segment of a conversion of one, DOOMED until it is swept. The row is there before the first byte and goes after the last one, so no bytes are ever without
 * a row. Each method is one atomic step.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type { NotFound } from "../Errors.ts"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type { MetadataError } from "../MetadataError.ts"
import type * as BlobKey from "./BlobKey.ts"

export type BlobState = "PENDING" | "READY" | "DOOMED"

/** A blob as the repository knows it. */
export interface BlobRow extends BlobKey.Parts {
  readonly state: BlobState
  /** Bytes; null while PENDING. */
  readonly size: number | null
  /** Hexadecimal; null while PENDING. */
  readonly sha256: string | null
  /** The file whose content it is, or of whose conversion it is a segment. */
  readonly fileId: string | null
}

export class BlobRepository extends Context.Service<
  BlobRepository,
  {
    /**
     * Announces a blob before its first byte is written: PENDING, with a lease until a time. `NotFound` when there is
     * no such bucket.
     */
    readonly stage: (
      bucket: BucketRef,
      blobId: string,
      at: DateTime.Utc,
      leaseUntil: DateTime.Utc
    ) => Effect.Effect<void, NotFound | MetadataError>

    /** Prolongs the leases of PENDING blobs; others are left as they are. */
    readonly renew: (blobIds: ReadonlyArray<string>, leaseUntil: DateTime.Utc) => Effect.Effect<void, MetadataError>

    /**
     * Dooms PENDING blobs whose lease ended before `now`, to be swept at once; how many. With `now` undefined, every
     * PENDING blob: right only for a process that knows to be alone.
     */
    readonly expire: (now: DateTime.Utc | undefined) => Effect.Effect<number, MetadataError>

    /** DOOMED blobs that may be swept at this time, oldest first. */
    readonly due: (now: DateTime.Utc, limit: number) => Effect.Effect<ReadonlyArray<BlobKey.Parts>, MetadataError>

    /**
     * Forgets blobs whose bytes are gone; READY ones are never forgotten. Conversions of a content go with its blob, and
     * their segments become DOOMED, due at once.
     */
    readonly forget: (blobIds: ReadonlyArray<string>) => Effect.Effect<void, MetadataError>

    /**
     * Dooms READY blobs that are no file's content and no conversion's segment; how many. There are none unless
     * something went wrong.
     */
    readonly doomUnreferenced: (
      blobIds: ReadonlyArray<string>,
      sweepAt: DateTime.Utc
    ) => Effect.Effect<number, MetadataError>

    /** All blobs ordered by id, for the consistency check. */
    readonly list: (after: string | undefined, limit: number) => Effect.Effect<ReadonlyArray<BlobRow>, MetadataError>

    /** Which of these ids have a row. */
    readonly known: (blobIds: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, MetadataError>
  }
>()("@holdfast/core/storage/BlobRepository") {}
