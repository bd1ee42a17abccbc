/**
 * Opens targets of every type.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { BucketRef } from "../../../buckets/BucketRef.ts"
import type { CopyTarget } from "../CopyTarget.ts"
import { type MirrorTarget, MirrorTargets } from "../MirrorTarget.ts"
import type { MirrorTargetError } from "../MirrorTargetError.ts"
import * as MirrorTypeUnavailable from "../MirrorTypeUnavailable.ts"
import * as CheckedTarget from "./CheckedTarget.ts"
import * as TenantBucketTarget from "./TenantBucketTarget.ts"
import type { ExternalType, Locations, TargetLocation } from "../types/TargetTypes.ts"

export interface TargetOpener {
  /** Whether this deployment has targets of a type. */
  readonly has: (type: TargetLocation["type"]) => boolean
  /** Opens the target at a location for copies of a bucket; makes no request. */
  readonly open: (
    location: TargetLocation,
    source: Pick<BucketRef, "bucketId">
  ) => Effect.Effect<CopyTarget, MirrorTargetError | MirrorTypeUnavailable.MirrorTypeUnavailable, Scope.Scope>
}

/** Generic in the type, so that the compiler pairs the opener with the location. */
const openExternal = <Type extends ExternalType>(
  openers: MirrorTargets["Service"]["open"],
  type: Type,
  location: Locations[Type],
  source: Pick<BucketRef, "bucketId">
): Effect.Effect<MirrorTarget, MirrorTargetError | MirrorTypeUnavailable.MirrorTypeUnavailable, Scope.Scope> =>
  openers[type]?.(location, source) ?? Effect.fail(MirrorTypeUnavailable.make(type))

export const make = Effect.gen(function* () {
  const targets = yield* MirrorTargets
  const openTenantBucket = yield* TenantBucketTarget.make

  return {
    has: (type) => type === "TENANT_BUCKET" || targets.open[type] !== undefined,

    open: (location, source) =>
      location.type === "TENANT_BUCKET"
        ? openTenantBucket(location)
        : Effect.map(openExternal(targets.open, location.type, location, source), (target): CopyTarget => ({
            ...CheckedTarget.make(target),
            hasCheckObject: true
          }))
  } satisfies TargetOpener
})
