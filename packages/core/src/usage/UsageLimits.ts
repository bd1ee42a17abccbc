/**
 * The limits that the changes of an effect must keep.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type { MetadataError } from "../MetadataError.ts"

/** The most files and bytes of an owner; null without a limit. The bytes are those of contents, of streams and of reservations. */
export interface Limits {
  readonly files: number | null
  readonly bytes: number | null
}

/** The limits of a bucket and of its tenant. */
export interface UsageLimits {
  readonly bucket: Limits
  readonly tenant: Limits
}

const none: Limits = { files: null, bytes: null }

export const unlimited: UsageLimits = { bucket: none, tenant: none }

/** Whether no change can exceed the limits. */
export const isUnlimited = (limits: UsageLimits): boolean =>
  limits === unlimited || [limits.bucket, limits.tenant].every(({ bytes, files }) => bytes === null && files === null)

/** The limits that repositories check, in the transaction of a change that lets usage grow. None by default. */
export const CurrentLimits = Context.Reference<UsageLimits>("@holdfast/core/usage/CurrentLimits", {
  defaultValue: () => unlimited
})

/** Runs the changes of an effect within limits. */
export const within =
  (limits: UsageLimits) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    limits === unlimited ? self : Effect.provideService(self, CurrentLimits, limits)

/** Returns the limits of a bucket and of its tenant. Every upload calls it. By default there are none. */
export const LimitsOf = Context.Reference<(bucket: BucketRef) => Effect.Effect<UsageLimits, MetadataError>>(
  "@holdfast/core/usage/LimitsOf",
  { defaultValue: () => () => Effect.succeed(unlimited) }
)
