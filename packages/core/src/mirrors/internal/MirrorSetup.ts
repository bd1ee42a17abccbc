/**
 * Creates and updates mirrors: checks the input, tries the credentials at the target, encrypts the secret, and stores the mirror.
 */
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { Access } from "../../access/Access.ts"
import type { Actor } from "../../Actor.ts"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import { BucketRepository } from "../../buckets/BucketRepository.ts"
import { NotFound } from "../../Errors.ts"
import { by } from "../../events/EventAuthor.ts"
import { FileChangeNotifier } from "../../files/FileChangeNotifier.ts"
import { checkBucketId } from "../../files/internal/FileLookup.ts"
import * as Ids from "../../Ids.ts"
import { withinQuota } from "../../quotas/CurrentQuota.ts"
import { StorageRoom } from "../../StorageRoom.ts"
import * as Creator from "../../access/Creator.ts"
import * as MirrorCredentials from "./MirrorCredentials.ts"
import { MirrorLoop } from "../MirrorErrors.ts"
import { type CreateMirror, decodeCreate, decodeUpdate, type UpdateMirror } from "../MirrorInput.ts"
import { type MirrorRef, MirrorRepository } from "../MirrorRepository.ts"
import * as MirrorSteps from "./MirrorSteps.ts"
import * as MirrorTypeUnavailable from "../targets/MirrorTypeUnavailable.ts"

const isLoop = (error: { readonly reason?: unknown }): boolean => error.reason === "Loop"

/** `create` and `update` of `Mirrors`. */
export const make = Effect.gen(function* () {
  const access = yield* Access
  const buckets = yield* BucketRepository
  const room = yield* StorageRoom
  const repository = yield* MirrorRepository
  const within = yield* withinQuota
  const notifier = yield* FileChangeNotifier
  const random = yield* SecureRandom
  const { checkTarget, get, hasType, seal } = yield* MirrorSteps.make

  return {
    create: Effect.fn("Mirrors.create")(function* (actor: Actor, bucket: BucketRef, input: CreateMirror) {
      const identity = yield* access.require(actor, bucket, "mirror:manage")
      yield* checkBucketId(bucket)
      const { bucketId, tenantId } = bucket
      const decoded = yield* decodeCreate(input, bucketId)
      const credentials = MirrorCredentials.fromInput(decoded)
      const { address } = credentials
      if (!hasType(address.type)) return yield* MirrorTypeUnavailable.make(address.type)
      yield* NotFound.whenNone(buckets.find(bucket), new NotFound({ resource: "bucket" }))
      if (decoded.verify !== false) {
        yield* Effect.catchIf(checkTarget(bucket, credentials), isLoop, () => Effect.fail(new MirrorLoop()))
      }
      const id = yield* Effect.provideService(Ids.make("mir"), SecureRandom, random)
      const secret = yield* seal(credentials, id)
      yield* room.forRecord
      const at = yield* DateTime.now
      const createdBy = Creator.of(identity)
      const mirror = { tenantId, bucketId, id, name: decoded.name, address, secret, createdBy, at }
      yield* by(identity)(within(tenantId)(repository.create(mirror)))
      yield* notifier.wake(bucketId)
      return MirrorSteps.toRecord(yield* get({ ...bucket, mirrorId: id }))
    }),

    update: Effect.fn("Mirrors.update")(function* (actor: Actor, ref: MirrorRef, input: UpdateMirror) {
      const identity = yield* access.require(actor, ref, "mirror:manage")
      const { mirror } = yield* get(ref)
      const decoded = yield* decodeUpdate(input)
      const changed = yield* MirrorCredentials.fromUpdate(mirror.address, decoded)
      if (changed !== undefined && decoded.verify !== false) yield* checkTarget(ref, changed)
      const credentials = changed && { address: changed.address, secret: yield* seal(changed, mirror.id) }
      const { name, paused } = decoded
      const change = { name, paused, credentials }
      if (!(yield* by(identity)(repository.update({ mirror: ref, change, now: yield* DateTime.now })))) {
        return yield* MirrorSteps.notFound
      }
      yield* notifier.wake(ref.bucketId)
      return MirrorSteps.toRecord(yield* get(ref))
    })
  }
})
