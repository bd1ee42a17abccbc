/**
 * Buckets of a tenant: creating, listing, renaming, removing.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { Access, type AccessError } from "../access/Access.ts"
import type { Actor } from "../Actor.ts"
import { type InvalidCursor, type InvalidRequest, NotFound } from "../Errors.ts"
import type { BucketRef } from "./BucketRef.ts"
import * as Ids from "../Ids.ts"
import * as Input from "../Input.ts"
import * as Page from "../Page.ts"
import { Settings } from "../Settings.ts"
import * as Bucket from "./Bucket.ts"
import { BucketRepository } from "./BucketRepository.ts"

export class Buckets extends Context.Service<
  Buckets,
  {
    readonly create: (
      actor: Actor,
      tenantId: string,
      input: Bucket.CreateBucket
    ) => Effect.Effect<Bucket.Bucket, AccessError | InvalidRequest | NotFound | Bucket.BucketExists>

    readonly list: (
      actor: Actor,
      tenantId: string,
      page: Page.Request
    ) => Effect.Effect<Page.Page<Bucket.Bucket>, AccessError | InvalidRequest | InvalidCursor>

    readonly get: (actor: Actor, bucket: BucketRef) => Effect.Effect<Bucket.Bucket, AccessError | NotFound>

    readonly update: (
      actor: Actor,
      bucket: BucketRef,
      input: Bucket.UpdateBucket
    ) => Effect.Effect<Bucket.Bucket, AccessError | InvalidRequest | NotFound | Bucket.BucketExists>

    /** Removes an empty bucket; with `force`, one with all its files. */
    readonly remove: (
      actor: Actor,
      bucket: BucketRef,
      options?: { readonly force?: boolean | undefined }
    ) => Effect.Effect<void, AccessError | NotFound | Bucket.BucketNotEmpty>
  }
>()("@holdfast/core/buckets/Buckets") {}

const decodeCreate = Input.decoder(Bucket.CreateBucket)
const decodeUpdate = Input.decoder(Bucket.UpdateBucket)

const make = Effect.gen(function* () {
  const access = yield* Access
  const repository = yield* BucketRepository
  const settings = yield* Settings
  const random = yield* SecureRandom
  const missing = new NotFound({ resource: "bucket" })
  const guard = (bucketId: string) => (Ids.is("bkt", bucketId) ? Effect.void : Effect.fail(missing))

  return Buckets.of({
    create: Effect.fn("Buckets.create")(
      function* (actor, tenantId, input) {
        yield* access.require(actor, tenantId, "bucket:write")
        const { name } = yield* decodeCreate(input)
        const now = yield* DateTime.now
        const bucket = { id: yield* Ids.make("bkt"), name, createdAt: now, updatedAt: now }
        yield* repository.create(tenantId, bucket)
        return bucket
      },
      Effect.provideService(SecureRandom, random)
    ),

    list: Effect.fn("Buckets.list")(function* (actor, tenantId, page) {
      yield* access.require(actor, tenantId, "bucket:read")
      return yield* Page.byId(page, (after, limit) => repository.list(tenantId, after, limit))
    }),

    get: Effect.fn("Buckets.get")(function* (actor, { bucketId, tenantId }) {
      yield* access.require(actor, tenantId, "bucket:read")
      yield* guard(bucketId)
      return yield* NotFound.unless(repository.find(tenantId, bucketId), missing)
    }),

    update: Effect.fn("Buckets.update")(function* (actor, { bucketId, tenantId }, input) {
      yield* access.require(actor, tenantId, "bucket:write")
      yield* guard(bucketId)
      const change = yield* decodeUpdate(input)
      return yield* NotFound.unless(repository.update(tenantId, bucketId, change, yield* DateTime.now), missing)
    }),

    remove: Effect.fn("Buckets.remove")(function* (actor, { bucketId, tenantId }, options) {
      yield* access.require(actor, tenantId, "bucket:write")
      yield* guard(bucketId)
      const sweepAt = DateTime.addDuration(yield* DateTime.now, settings.blobGrace)
      const removed = yield* repository.remove(tenantId, bucketId, { force: options?.force === true, sweepAt })
      if (!removed) return yield* missing
    })
  })
})

export const layer: Layer.Layer<Buckets, never, Access | BucketRepository | SecureRandom> = Layer.effect(Buckets, make)
