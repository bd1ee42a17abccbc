/**
 * Opens the targets of mirrors.
 */
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { MetadataError } from "../../MetadataError.ts"
import { SecretBox, type SecretError } from "../../secrets/SecretBox.ts"
import type { CopyTarget } from "./CopyTarget.ts"
import { MirrorTypeUnavailable } from "../MirrorErrors.ts"
import { MirrorRepository } from "../MirrorRepository.ts"
import { type MirrorTarget, MirrorTargets } from "./MirrorTarget.ts"
import { MirrorTargetError } from "./MirrorTargetError.ts"
import * as TenantBucketTarget from "./TenantBucketTarget.ts"
import type { StoredMirror } from "../StoredMirror.ts"
import * as TargetTypes from "./types/TargetTypes.ts"
import type { TargetLocation } from "./types/TargetTypes.ts"

export interface TargetOpener {
  /** Whether this deployment has targets of a type. */
  readonly has: (type: TargetLocation["type"]) => boolean
  /** Opens the target at a location; makes no request. */
  readonly open: (
    location: TargetLocation
  ) => Effect.Effect<CopyTarget, MirrorTargetError | MirrorTypeUnavailable, Scope.Scope>
  /** Opens a mirror's target. A secret that was sealed by a former key is sealed anew. */
  readonly ofMirror: (mirror: StoredMirror) => Effect.Effect<CopyTarget, MirrorTargetError, Scope.Scope>
}

/** The error for a type that this deployment has no targets of, or no key for: it names the type as callers do. */
export const typeUnavailable = (type: TargetLocation["type"], reason?: MirrorTypeUnavailable["reason"]) =>
  new MirrorTypeUnavailable({ type: TargetTypes.ofType(type).wireName, reason })

const unopened = (detail: string) => new MirrorTargetError({ reason: "Denied", operation: "open", detail })

/** Generic in the type, so that the compiler knows that the opener is the one for the location. */
const openExternal = <Type extends TargetTypes.ExternalType>(
  openers: MirrorTargets["Service"]["open"],
  type: Type,
  location: TargetTypes.Locations[Type]
): Effect.Effect<MirrorTarget, MirrorTargetError | MirrorTypeUnavailable, Scope.Scope> =>
  openers[type]?.(location) ?? Effect.fail(typeUnavailable(type))

export const make = Effect.gen(function* () {
  const targets = yield* MirrorTargets
  const repository = yield* MirrorRepository
  const box = yield* SecretBox
  const openTenantBucket = yield* TenantBucketTarget.make

  const open: TargetOpener["open"] = (location) =>
    location.type === "TENANT_BUCKET"
      ? openTenantBucket(location)
      : Effect.map(openExternal(targets.open, location.type, location), (target) => ({
          ...target,
          hasCheckObject: true
        }))

  /** What fails here leaves the mirror as it is. */
  const reseal = (mirror: StoredMirror, secret: Redacted.Redacted) =>
    box.seal(secret, mirror.id).pipe(
      Effect.flatMap((fresh) => repository.reseal(mirror.id, mirror.secret, fresh)),
      Effect.catch((error: MetadataError | SecretError) =>
        Effect.logWarning("A mirror's secret could not be sealed anew", error.reason)
      )
    )

  const ofMirror: TargetOpener["ofMirror"] = Effect.fnUntraced(function* (mirror) {
    const secret = yield* Effect.catchTag(box.open(mirror.secret, mirror.id), "SecretError", () =>
      Effect.fail(unopened("The credentials can no longer be read here; give the mirror new ones."))
    )
    if (box.isStale(mirror.secret)) yield* reseal(mirror, secret)
    return yield* Effect.catchTag(
      open(TargetTypes.toLocation(mirror.address, secret)),
      "MirrorTypeUnavailable",
      (error) => Effect.fail(unopened(error.message))
    )
  })

  return {
    has: (type) => type === "TENANT_BUCKET" || targets.open[type] !== undefined,
    open,
    ofMirror
  } satisfies TargetOpener
})
