/**
 * Steps that the methods of `Mirrors` share.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import * as Counts from "../../Counts.ts"
import { NotFound } from "../../Errors.ts"
import * as Ids from "../../Ids.ts"
import { SecretBox } from "../../secrets/SecretBox.ts"
import type { Mirror } from "../Mirror.ts"
import { MirrorTargetUnreachable } from "../MirrorErrors.ts"
import { type CountedMirror, type MirrorRef, MirrorRepository } from "../MirrorRepository.ts"
import * as MirrorTypeUnavailable from "../targets/MirrorTypeUnavailable.ts"
import * as TargetOpener from "../targets/internal/TargetOpener.ts"
import type { MirrorState } from "../targets/types/CommonFields.ts"
import * as TargetTypes from "../targets/types/TargetTypes.ts"
import type { StoredMirror } from "../StoredMirror.ts"

const toState = ({ failure, paused }: StoredMirror): MirrorState =>
  paused ? "PAUSED" : failure === null ? "ACTIVE" : "FAILING"

/** Returns the record that callers see. */
export const toRecord = ({ mirror, stats }: CountedMirror): Mirror => {
  const { address, bucketId, createdAt, createdBy, failure, id, name, updatedAt } = mirror
  const { recordDefaults, wireName } = TargetTypes.ofType(address.type)
  // The fields of a record are those of the address, which its type's schema has checked.
  return {
    id,
    name,
    bucketId,
    state: toState(mirror),
    stats: { ...stats, lastError: failure?.detail ?? stats.lastError },
    createdBy,
    createdAt,
    updatedAt,
    ...recordDefaults,
    ...address,
    type: wireName
  } as Mirror
}

export const notFound = new NotFound({ resource: "mirror" })

/** Checks of one tenant at a time: each holds a request, and connections, for as long as its target takes to respond. */
const checksPerTenant = 4

const tooManyChecks = new MirrorTargetUnreachable({
  reason: "Unavailable",
  detail: "Four checks of targets of this tenant are running. Retry when they have ended."
})

/** Makes the function that runs a check unless too many checks of the tenant are running. */
const makeLimit = () => {
  const running = Counts.make<string>()
  return (tenantId: string) =>
    <A, E, R>(check: Effect.Effect<A, E, R>): Effect.Effect<A, E | MirrorTargetUnreachable, R> =>
      Effect.suspend((): Effect.Effect<A, E | MirrorTargetUnreachable, R> => {
        if (running.get(tenantId) >= checksPerTenant) return Effect.fail(tooManyChecks)
        running.add(tenantId, 1)
        return Effect.ensuring(
          check,
          Effect.sync(() => running.add(tenantId, -1))
        )
      })
}

export const make = Effect.gen(function* () {
  const repository = yield* MirrorRepository
  const box = yield* SecretBox
  const opener = yield* TargetOpener.make
  const limitChecks = makeLimit()

  /** Fails unless the ids of a reference have the form of ids. */
  const requireIds = ({ bucketId, mirrorId }: MirrorRef) =>
    Ids.is("bkt", bucketId) && Ids.is("mir", mirrorId) ? Effect.void : Effect.fail(notFound)

  return {
    requireIds,

    /** Whether this deployment has targets of a type. */
    hasType: opener.has,

    /** Returns a mirror, or fails with `NotFound`. */
    get: Effect.fnUntraced(function* (ref: MirrorRef) {
      yield* requireIds(ref)
      return yield* NotFound.whenNone(repository.find(ref, yield* DateTime.now), notFound)
    }),

    /** Checks that a target can be written. Fails when `checksPerTenant` checks of the tenant are running. */
    checkTarget: (bucket: BucketRef, credentials: TargetTypes.Credentials) =>
      opener.open(TargetTypes.toLocation(credentials), bucket).pipe(
        Effect.flatMap((target) => target.check),
        Effect.catchTag("MirrorTargetError", ({ detail, reason }) => new MirrorTargetUnreachable({ detail, reason })),
        Effect.scoped,
        limitChecks(bucket.tenantId)
      ),

    /** Encrypts the secret of a mirror for the repository. */
    seal: ({ address, secret }: TargetTypes.Credentials, mirrorId: string) =>
      Effect.mapError(box.seal(secret, mirrorId), () => MirrorTypeUnavailable.make(address.type, "NoKey"))
  }
})
