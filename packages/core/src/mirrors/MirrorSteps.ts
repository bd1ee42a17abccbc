/**
 * Steps that the methods of `Mirrors` share.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { NotFound } from "../Errors.ts"
import type { BucketRef } from "../buckets/BucketRef.ts"
import * as Ids from "../Ids.ts"
import { SecretBox } from "../secrets/SecretBox.ts"
import type { Mirror } from "./Mirror.ts"
import { MirrorTargetUnreachable } from "./MirrorErrors.ts"
import { type CountedMirror, MirrorRepository } from "./MirrorRepository.ts"
import { toRecord } from "./StoredMirror.ts"
import type { TargetLocation } from "./targets/types/TargetTypes.ts"
import * as TargetOpener from "./targets/TargetOpener.ts"

/** Where a mirror is. */
export interface MirrorRef extends BucketRef {
  readonly mirrorId: string
}

/** The record that callers see. */
export const record = ({ mirror, stats }: CountedMirror): Mirror => toRecord(mirror, stats)

export const missing = new NotFound({ resource: "mirror" })

export const make = Effect.gen(function* () {
  const repository = yield* MirrorRepository
  const box = yield* SecretBox
  const opener = yield* TargetOpener.make

  const guard = ({ bucketId, mirrorId }: MirrorRef) =>
    Ids.is("bkt", bucketId) && Ids.is("mir", mirrorId) ? Effect.void : Effect.fail(missing)

  return {
    has: opener.has,

    /** Fails unless these could be ids. */
    guard,

    find: Effect.fnUntraced(function* (ref: MirrorRef) {
      yield* guard(ref)
      return yield* NotFound.whenNone(repository.find(ref, ref.mirrorId, yield* DateTime.now), missing)
    }),

    /** Asks a target whether it lets itself be written. */
    verify: (location: TargetLocation) =>
      opener.open(location).pipe(
        Effect.flatMap((target) => target.check),
        Effect.catchTag("MirrorTargetError", ({ detail, reason }) => new MirrorTargetUnreachable({ detail, reason })),
        Effect.scoped
      ),

    seal: (type: TargetLocation["type"], secret: Redacted.Redacted, mirrorId: string) =>
      Effect.mapError(box.seal(secret, mirrorId), () => TargetOpener.typeUnavailable(type, "NoKey"))
  }
})
