/**
 * Creates, lists, changes and removes the shares of a bucket. `ShareUse` verifies their tokens.
 */
import * as Context from "effect/Context"
import { Digest } from "effect/crypto/Digest"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Access, type AccessError, type Identity } from "../../access/Access.ts"
import * as Creator from "../../access/Creator.ts"
import type { Actor } from "../../Actor.ts"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import { BucketRepository } from "../../buckets/BucketRepository.ts"
import { Forbidden, type InvalidCursor, type InvalidRequest, NotFound, type QuotaExceeded } from "../../Errors.ts"
import { by } from "../../events/EventAuthor.ts"
import * as Ids from "../../Ids.ts"
import * as Page from "../../Page.ts"
import { withinQuota } from "../../quotas/CurrentQuota.ts"
import { StorageRoom } from "../../StorageRoom.ts"
import { FileRepository } from "../FileRepository.ts"
import { checkBucketId, getFile } from "../internal/FileLookup.ts"
import * as ShareTerms from "./internal/ShareTerms.ts"
import * as ShareToken from "./internal/ShareToken.ts"
import { PasswordHash } from "./PasswordHash.ts"
import { type CreateShare, permissionsOf, type Share, type ShareRef, toRecord, type UpdateShare } from "./Share.ts"
import { ShareRepository } from "./ShareRepository.ts"

/** A new share, with the token that is shown once. */
export interface NewShare {
  readonly share: Share
  readonly token: string
}

/** Returns the path of the page of a share, with the token where neither servers nor logs see it. */
export const pagePathOf = ({ share: { id }, token }: NewShare): string => `/s/${id}#${token}`

type CreateError = AccessError | InvalidRequest | NotFound | QuotaExceeded

export class Shares extends Context.Service<
  Shares,
  {
    /**
     * Creates a share on behalf of a member, who must have the permissions that the share gives. Fails with `InvalidRequest` for a share
     * that the bucket does not permit, and with `NotFound` for a bucket or file that does not exist.
     */
    readonly create: (actor: Actor, bucket: BucketRef, input: CreateShare) => Effect.Effect<NewShare, CreateError>

    /** Lists the shares of a bucket, ordered by id, with those that expired in the latest 30 days. */
    readonly list: (
      actor: Actor,
      bucket: BucketRef,
      page: Page.Request
    ) => Effect.Effect<Page.Page<Share>, AccessError | InvalidRequest | InvalidCursor | NotFound>

    readonly get: (actor: Actor, share: ShareRef) => Effect.Effect<Share, AccessError | NotFound>

    /** Changes a share. Making an expired one valid again counts as creating one. Only an Admin takes over the share of another member. To set, change or remove the password ends what was opened with the share before. */
    readonly update: (
      actor: Actor,
      share: ShareRef,
      input: UpdateShare
    ) => Effect.Effect<Share, AccessError | InvalidRequest | NotFound | QuotaExceeded>

    /** Removes a share: its token, and everything that was opened with it, ends within a second. */
    readonly remove: (actor: Actor, share: ShareRef) => Effect.Effect<void, AccessError | NotFound>
  }
>()("@holdfast/core/files/shares/Shares") {}

const missing = new NotFound({ resource: "share" })
const noBucket = new NotFound({ resource: "bucket" })

const needsMember = new Forbidden(
  "A share is worth what its creator may do, so that a member of the tenant has to create it or take it over, not the deployment itself."
)

const make = Effect.gen(function* () {
  const access = yield* Access
  const repository = yield* ShareRepository
  const buckets = yield* BucketRepository
  const files = yield* FileRepository
  const room = yield* StorageRoom
  const random = yield* SecureRandom
  const digest = yield* Digest
  const passwords = yield* PasswordHash
  const within = yield* withinQuota

  const hashPassword = (password: string | null | undefined) =>
    password === null || password === undefined
      ? Effect.succeed(password)
      : Effect.flatMap(random.randomBytes(16), (salt) => passwords.hash(password, salt))

  const requireCreator = (identity: Identity) => {
    const createdBy = Creator.of(identity)
    return createdBy === null ? Effect.fail(needsMember) : Effect.succeed(createdBy)
  }

  const find = (ref: ShareRef) =>
    Ids.is("shr", ref.shareId) && Ids.is("bkt", ref.bucketId)
      ? NotFound.whenNone(repository.find(ref), missing)
      : Effect.fail(missing)

  return Shares.of({
    create: Effect.fn("Shares.create")(
      function* (actor, bucket, input) {
        const identity = yield* access.require(actor, bucket, "share:write")
        const createdBy = yield* requireCreator(identity)
        yield* checkBucketId(bucket)
        const { fileId: fileRef, name, password, ...terms } = yield* ShareTerms.decodeCreate(input)
        for (const permission of permissionsOf(terms.may)) {
          yield* access.require(actor, { ...bucket, path: terms.path ?? undefined }, permission)
        }
        const { shares: rules } = yield* NotFound.whenNone(buckets.find(bucket), noBucket)
        const now = yield* DateTime.now
        const expiresAt = yield* ShareTerms.decideExpiry({ requested: terms.expiresAt, now, createdAt: now, rules })
        yield* ShareTerms.checkRules(rules, password !== null)
        const fileId = fileRef === null ? null : (yield* getFile(files, { ...bucket, fileId: fileRef }, identity)).id
        yield* room.forRecord
        const token = yield* ShareToken.mint
        const share = {
          tenantId: bucket.tenantId,
          bucketId: bucket.bucketId,
          id: yield* Ids.make("shr"),
          name,
          fileId,
          ...terms,
          expiresAt,
          password: (yield* hashPassword(password)) ?? null,
          passwordVersion: 0,
          downloads: 0,
          uploadedFiles: 0,
          uploadedBytes: 0,
          createdBy,
          createdAt: now,
          updatedAt: now
        }
        const hash = yield* ShareToken.hash(token)
        yield* by(identity)(within(bucket.tenantId)(repository.create({ share, hash })))
        return { share: toRecord(share), token }
      },
      Effect.provideService(SecureRandom, random),
      Effect.provideService(Digest, digest)
    ),

    list: Effect.fn("Shares.list")(function* (actor, bucket, page) {
      yield* access.require(actor, bucket, "share:write")
      yield* checkBucketId(bucket)
      const found = yield* Page.listById(page, (slice) => repository.list({ bucket, ...slice }))
      if (found.items.length === 0) yield* NotFound.whenNone(buckets.find(bucket), noBucket)
      return { ...found, items: found.items.map(toRecord) }
    }),

    get: Effect.fn("Shares.get")(function* (actor, ref) {
      yield* access.require(actor, ref, "share:write")
      return toRecord(yield* find(ref))
    }),

    update: Effect.fn("Shares.update")(function* (actor, ref, input) {
      const identity = yield* access.require(actor, ref, "share:write")
      const share = yield* find(ref)
      const { password, takeOver = false, ...change } = yield* ShareTerms.decodeUpdate(input, share)
      const createdBy = takeOver ? yield* requireCreator(identity) : undefined
      if (takeOver && createdBy?.member.id !== share.createdBy?.member.id) {
        yield* access.require(actor, ref.tenantId, "member:manage")
      }
      const { shares: rules } = yield* NotFound.whenNone(buckets.find(ref), missing)
      const at = yield* DateTime.now
      const { createdAt } = share
      const expiresAt =
        change.expiresAt === undefined
          ? undefined
          : yield* ShareTerms.decideExpiry({ requested: change.expiresAt, now: at, createdAt, rules })
      yield* ShareTerms.checkRules(rules, (password === undefined ? share.password : password) !== null)
      const changed = { ...change, expiresAt, password: yield* hashPassword(password), createdBy }
      const updated = by(identity)(within(ref.tenantId)(repository.update({ share: ref, change: changed, at })))
      const found = yield* NotFound.whenNone(updated, missing)
      yield* access.clearCache
      return toRecord(found)
    }),

    remove: Effect.fn("Shares.remove")(function* (actor, ref) {
      const identity = yield* access.require(actor, ref, "share:write")
      if (!Ids.is("shr", ref.shareId) || !Ids.is("bkt", ref.bucketId)) return yield* missing
      if (!(yield* by(identity)(repository.remove(ref)))) return yield* missing
      yield* access.clearCache
    })
  })
})

export const layer: Layer.Layer<
  Shares,
  never,
  Access | ShareRepository | BucketRepository | FileRepository | SecureRandom | Digest
> = Layer.effect(Shares, make)
