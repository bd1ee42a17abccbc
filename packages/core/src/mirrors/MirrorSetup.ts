/**
 * Creating mirrors, and changing them: what callers give is checked, tried out at the target, sealed and stored.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { Access } from "../access/Access.ts"
import type { Actor } from "../Actor.ts"
import { BucketRepository } from "../buckets/BucketRepository.ts"
import { NotFound } from "../Errors.ts"
import { checkBucketId } from "../files/FileLookup.ts"
import type { BucketRef } from "../buckets/BucketRef.ts"
import * as Ids from "../Ids.ts"
import { type CreateMirror, decodeCreate, decodeUpdate, type UpdateMirror } from "./MirrorInput.ts"
import * as MirrorCredentials from "./MirrorCredentials.ts"
import { MirrorRepository } from "./MirrorRepository.ts"
import { FileChangeNotifier } from "../files/FileChangeNotifier.ts"
import * as MirrorSteps from "./MirrorSteps.ts"
import type { MirrorRef } from "./MirrorSteps.ts"
import { typeUnavailable } from "./targets/TargetOpener.ts"
import * as TargetTypes from "./targets/types/TargetTypes.ts"

const { record } = MirrorSteps

/** `create` and `update` of `Mirrors`. */
export const make = Effect.gen(function* () {
  const access = yield* Access
  const buckets = yield* BucketRepository
  const repository = yield* MirrorRepository
  const signal = yield* FileChangeNotifier
  const random = yield* SecureRandom
  const { find, has, seal, verify } = yield* MirrorSteps.make

  return {
    create: Effect.fn("Mirrors.create")(function* (actor: Actor, bucket: BucketRef, input: CreateMirror) {
      yield* access.require(actor, bucket.tenantId, "mirror:manage")
      yield* checkBucketId(bucket)
      const wanted = yield* decodeCreate(input, bucket.bucketId)
      const { address, secret } = MirrorCredentials.fromInput(wanted)
      if (!has(address.type)) return yield* typeUnavailable(address.type)
      yield* NotFound.whenNone(buckets.find(bucket), new NotFound({ resource: "bucket" }))
      if (wanted.verify !== false) yield* verify(TargetTypes.toLocation(address, secret))
      const id = yield* Effect.provideService(Ids.make("mir"), SecureRandom, random)
      const sealed = yield* seal(address.type, secret, id)
      const { bucketId, tenantId } = bucket
      yield* repository.create({
        tenantId,
        bucketId,
        id,
        name: wanted.name,
        address,
        secret: sealed,
        at: yield* DateTime.now
      })
      yield* signal.wake(bucketId)
      return record(yield* find({ ...bucket, mirrorId: id }))
    }),

    update: Effect.fn("Mirrors.update")(function* (actor: Actor, ref: MirrorRef, input: UpdateMirror) {
      yield* access.require(actor, ref.tenantId, "mirror:manage")
      const { mirror } = yield* find(ref)
      const change = yield* decodeUpdate(input)
      const fresh = yield* MirrorCredentials.fromUpdate(mirror.address, change)
      if (fresh !== undefined && change.verify !== false)
        yield* verify(TargetTypes.toLocation(fresh.address, fresh.secret))
      const credentials = fresh && {
        address: fresh.address,
        secret: yield* seal(fresh.address.type, fresh.secret, mirror.id)
      }
      const { name, paused } = change
      const at = yield* DateTime.now
      const isThere = yield* repository.update(ref, ref.mirrorId, { name, paused, credentials }, at)
      if (!isThere) return yield* MirrorSteps.missing
      yield* signal.wake(ref.bucketId)
      return record(yield* find(ref))
    })
  }
})
