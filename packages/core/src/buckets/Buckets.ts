/**
 * Creates, lists, changes and removes the buckets of a tenant.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { Access, type AccessError, bucketsOf } from "../access/Access.ts"
import type { Actor } from "../Actor.ts"
import { type InvalidCursor, InvalidRequest, NotFound, type QuotaExceeded } from "../Errors.ts"
import type { BucketRef } from "./BucketRef.ts"
import { by } from "../events/EventAuthor.ts"
import * as Ids from "../Ids.ts"
import * as Input from "../Input.ts"
import * as Page from "../Page.ts"
import { withinQuota } from "../quotas/CurrentQuota.ts"
import { Settings } from "../Settings.ts"
import { StorageRoom } from "../StorageRoom.ts"
import * as Bucket from "./Bucket.ts"
import * as ShareRules from "./ShareRules.ts"
import { BucketRepository } from "./BucketRepository.ts"

export class Buckets extends Context.Service<
  Buckets,
  {
    /** Creates a bucket. The name must be unique in the tenant, and the quota must leave room. */
    readonly create: (
      actor: Actor,
      tenantId: string,
      input: Bucket.CreateBucket
    ) => Effect.Effect<Bucket.Bucket, AccessError | InvalidRequest | NotFound | QuotaExceeded | Bucket.BucketExists>

    /** Lists a tenant's buckets, ordered by id; for a token whose scope names buckets, only these. */
    readonly list: (
      actor: Actor,
      tenantId: string,
      page: Page.Request
    ) => Effect.Effect<Page.Page<Bucket.Bucket>, AccessError | InvalidRequest | InvalidCursor>

    readonly get: (actor: Actor, bucket: BucketRef) => Effect.Effect<Bucket.Bucket, AccessError | NotFound>

    /**
     * Finds a bucket of the actor's tenant by its name. It requires no permission but a key of the tenant: the operation on the bucket
     * requires its own.
     */
    readonly findByName: (
      actor: Actor,
      tenantId: string,
      name: string
    ) => Effect.Effect<Bucket.Bucket, AccessError | NotFound>

    /** Changes the name of a bucket, its limits, and the rules of its contents. */
    readonly update: (
      actor: Actor,
      bucket: BucketRef,
      input: Bucket.UpdateBucket
    ) => Effect.Effect<Bucket.Bucket, AccessError | InvalidRequest | NotFound | Bucket.BucketExists>

    /** Removes an empty bucket; with `force`, a bucket and all its files. */
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
  const room = yield* StorageRoom
  const repository = yield* BucketRepository
  const settings = yield* Settings
  const random = yield* SecureRandom
  const within = yield* withinQuota
  const missing = new NotFound({ resource: "bucket" })
  const checkId = (bucketId: string) => (Ids.is("bkt", bucketId) ? Effect.void : Effect.fail(missing))

  const checkVisibility = ({ visibility }: Bucket.UpdateBucket) =>
    visibility === "public" && !settings.publicBuckets ? Effect.fail(noPublicBuckets) : Effect.void

  return Buckets.of({
    create: Effect.fn("Buckets.create")(
      function* (actor, tenantId, input) {
        const identity = yield* access.require(actor, tenantId, "bucket:write")
        const decoded = yield* decodeCreate(input)
        const { allowedTypes = null, maxBytes = null, maxFileBytes = null, maxFiles = null, name } = decoded
        const { shares = {}, visibility = "private" } = decoded
        yield* checkVisibility(decoded)
        const now = yield* DateTime.now
        const id = yield* Ids.make("bkt")
        const bucket = {
          id,
          name,
          maxBytes,
          maxFiles,
          maxFileBytes,
          allowedTypes,
          visibility,
          shares: ShareRules.fromInput(shares),
          createdAt: now,
          updatedAt: now
        }
        yield* room.forRecord
        yield* by(identity)(within(tenantId)(repository.create(tenantId, bucket)))
        return bucket
      },
      Effect.provideService(SecureRandom, random)
    ),

    list: Effect.fn("Buckets.list")(function* (actor, tenantId, page) {
      const only = bucketsOf(yield* access.requirePart(actor, tenantId, "bucket:read"))
      return yield* Page.listById(page, (slice) => repository.list({ tenantId, only, ...slice }))
    }),

    get: Effect.fn("Buckets.get")(function* (actor, bucket) {
      yield* access.require(actor, bucket, "bucket:read")
      yield* checkId(bucket.bucketId)
      return yield* NotFound.whenNone(repository.find(bucket), missing)
    }),

    findByName: Effect.fn("Buckets.findByName")(function* (actor, tenantId, name) {
      const identity = yield* access.identify(actor, tenantId)
      const found = yield* NotFound.whenNone(repository.findByName(tenantId, name), missing)
      const only = bucketsOf(identity)
      const isMember = identity === "system" || identity.member !== null
      return isMember && (only === undefined || only.includes(found.id)) ? found : yield* missing
    }),

    update: Effect.fn("Buckets.update")(function* (actor, bucket, input) {
      const identity = yield* access.require(actor, bucket, "bucket:write")
      yield* checkId(bucket.bucketId)
      const change = yield* decodeUpdate(input)
      yield* checkVisibility(change)
      const update = { bucket, change, at: yield* DateTime.now }
      const hideOther = (error: Bucket.BucketExists) =>
        bucketsOf(identity) === undefined ? error : new Bucket.BucketExists({ existingId: undefined })
      const changed = yield* repository.update(update).pipe(
        by(identity),
        Effect.catchTag("BucketExists", (error) => Effect.fail(hideOther(error))),
        (found) => NotFound.whenNone(found, missing)
      )
      if (change.visibility !== undefined || change.shares !== undefined) yield* access.clearCache
      return changed
    }),

    remove: Effect.fn("Buckets.remove")(function* (actor, bucket, options) {
      const identity = yield* access.require(actor, bucket, "bucket:write")
      yield* checkId(bucket.bucketId)
      const sweepAt = DateTime.addDuration(yield* DateTime.now, settings.blobGrace)
      const removed = yield* by(identity)(repository.remove({ bucket, force: options?.force === true, sweepAt }))
      if (!removed) return yield* missing
    })
  })
})

const noPublicBuckets = InvalidRequest.at(
  "/visibility",
  "must be private: this deployment does not permit public buckets. Its operator permits them: HOLDFAST_PUBLIC_BUCKETS of the service, or settings.publicBuckets of open() in the library."
)

export const layer: Layer.Layer<Buckets, never, Access | BucketRepository | SecureRandom> = Layer.effect(Buckets, make)
