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
import { MirrorTargets } from "./MirrorTarget.ts"
import { MirrorTargetError } from "./MirrorTargetError.ts"
import type { TargetLocation } from "./TargetLocation.ts"
import * as TenantBucketTarget from "./TenantBucketTarget.ts"
import { type MirrorLocation, locationOf, type StoredMirror } from "../StoredMirror.ts"

export interface TargetOpener {
  /** Whether this deployment has targets of a type. */
  readonly has: (type: MirrorLocation["type"]) => boolean
  /** Opens a location; no request is made. */
  readonly open: (
    location: MirrorLocation
  ) => Effect.Effect<CopyTarget, MirrorTargetError | MirrorTypeUnavailable, Scope.Scope>
  /** Opens a mirror's target. A secret that was sealed by a former key is sealed anew. */
  readonly ofMirror: (mirror: StoredMirror) => Effect.Effect<CopyTarget, MirrorTargetError, Scope.Scope>
}

const unopened = (detail: string) => new MirrorTargetError({ reason: "Denied", operation: "open", detail })

export const make = Effect.gen(function* () {
  const targets = yield* MirrorTargets
  const repository = yield* MirrorRepository
  const box = yield* SecretBox
  const openService = yield* TenantBucketTarget.make

  const openCloud = (location: TargetLocation) => {
    switch (location.type) {
      case "CLOUD_A":
        return targets.open.CLOUD_A?.(location)
      case "CLOUD_B":
        return targets.open.CLOUD_B?.(location)
      case "CLOUD_C":
        return targets.open.CLOUD_C?.(location)
    }
  }

  const open: TargetOpener["open"] = (location) => {
    switch (location.type) {
      case "CLOUD_A":
      case "CLOUD_B":
      case "CLOUD_C": {
        const opened = openCloud(location)
        return opened === undefined
          ? Effect.fail(new MirrorTypeUnavailable(location))
          : Effect.map(opened, (target): CopyTarget => ({ ...target, hasCheckObject: true }))
      }
      case "SERVICE":
        return openService(location)
    }
  }

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
    return yield* Effect.catchTag(open(locationOf(mirror.place, secret)), "MirrorTypeUnavailable", (error) =>
      Effect.fail(unopened(error.message))
    )
  })

  return {
    has: (type) => type === "SERVICE" || targets.open[type] !== undefined,
    open,
    ofMirror
  } satisfies TargetOpener
})
