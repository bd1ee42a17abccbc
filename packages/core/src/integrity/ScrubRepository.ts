/**
 * The port that stores how far a scrub has come, so that it continues on any node. Each method is one atomic step.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { MetadataError } from "../MetadataError.ts"

/** What a scrub has done since it began, in all processes that worked on it. */
export interface ScrubTotals {
  readonly blobs: number
  readonly bytes: number
  /** Blobs that were found damaged. */
  readonly damaged: number
}

/** The claim of a process on a scrub. */
export interface ScrubClaim {
  /** Which scrub: that of the service, or that of the command line. */
  readonly name: string
  readonly lease: string
  /** The id of the blob after which the scrub continues; empty at its beginning. */
  readonly position: string
  readonly startedAt: DateTime.Utc
  readonly totals: ScrubTotals
}

export class ScrubRepository extends Context.Service<
  ScrubRepository,
  {
    /**
     * Claims a scrub. Continues one that is incomplete; begins a new one when there is none, or the last one began before a time and
     * is finished. None when another process has claimed it, or it is not time for a new one. A scrub that began, or is claimed until,
     * later than the clock permits is due: the clock was ahead then.
     */
    readonly claim: (terms: {
      readonly name: string
      readonly lease: string
      readonly leaseUntil: DateTime.Utc
      readonly now: DateTime.Utc
      /** A finished scrub that began before this time is followed by a new one. */
      readonly restartBefore: DateTime.Utc
      /** Whether to begin a new one also when the last one is incomplete. */
      readonly restart: boolean
    }) => Effect.Effect<Option.Option<ScrubClaim>, MetadataError>

    /**
     * Records the position up to which the blobs were read, adds to the totals, and prolongs the claim. Returns whether the process
     * still had it.
     */
    readonly save: (progress: {
      readonly claim: ScrubClaim
      readonly position: string
      readonly added: ScrubTotals
      readonly leaseUntil: DateTime.Utc
    }) => Effect.Effect<boolean, MetadataError>

    /** Ends the claim. The scrub is finished when `finishedAt` is a time; otherwise any process may continue it. */
    readonly release: (claim: ScrubClaim, finishedAt: DateTime.Utc | null) => Effect.Effect<void, MetadataError>
  }
>()("@holdfast/core/integrity/ScrubRepository") {}
