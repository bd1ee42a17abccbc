/**
 * The contract of `ShareRepository`, of the creators of shares, and of `AccessRepository.findByShare`.
 */
import { expect } from "@effect/vitest"
import { AccessRepository } from "@holdfast/core/access/AccessRepository"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import { RemovalRepository } from "@holdfast/core/buckets/RemovalRepository"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { ShareExhausted, type ShareLimit } from "@holdfast/core/files/shares/Share"
import { ShareRepository } from "@holdfast/core/files/shares/ShareRepository"
import { UploadShare } from "@holdfast/core/files/shares/UploadShare"
import { CurrentQuota } from "@holdfast/core/quotas/CurrentQuota"
import * as Settings from "@holdfast/core/Settings"
import { MemberRepository } from "@holdfast/core/members/MemberRepository"
import { TokenRepository } from "@holdfast/core/tokens/TokenRepository"
import type { StoredUpload } from "@holdfast/core/uploads/Upload"
import { UploadRepository } from "@holdfast/core/uploads/UploadRepository"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Fixtures from "../../Fixtures.ts"
import type { It } from "../../internal/It.ts"
import * as Sample from "../../Sample.ts"
import * as UploadFixtures from "../../internal/UploadFixtures.ts"
import * as ShareFixtures from "../ShareFixtures.ts"

/** Inserts a file with a content of so many bytes. */
const insertSized = Effect.fnUntraced(function* (bucket: BucketRef, size: number) {
  const content = { ...Sample.content(yield* Fixtures.stage(bucket)), size }
  yield* (yield* FileRepository).insert(bucket, Sample.file({ version: 1, content }))
})

/** Returns the limit of the share that refuses a change, in place of its error. */
const limitOf = <A, E, R>(change: Effect.Effect<A, E | ShareExhausted, R>) =>
  Effect.catchIf(
    change,
    (error) => error instanceof ShareExhausted,
    ({ limit }) => Effect.succeed(limit)
  )

export const shareContract = (it: It): void => {
  it.effect("find: stored share → equal record by id and by token; another bucket or token → none", () =>
    Effect.gen(function* () {
      const shares = yield* ShareRepository
      const bucket = yield* Fixtures.bucket()
      const { hash, ref, share } = yield* ShareFixtures.create(bucket, {
        path: "/Grüße/",
        may: ["upload"],
        expiresAt: Sample.at(9),
        password: "scrypt$a$b",
        maxFiles: 3,
        maxBytes: Number.MAX_SAFE_INTEGER
      })
      expect(yield* shares.find(ref)).toEqual(Option.some(share))
      expect(yield* shares.findByToken(hash)).toEqual(Option.some(share))
      expect(yield* shares.findById(share.id)).toEqual(Option.some(share))
      expect(yield* shares.find({ ...ref, bucketId: (yield* Fixtures.bucket()).bucketId })).toEqual(Option.none())
      expect(yield* shares.findByToken(Sample.hash())).toEqual(Option.none())
    })
  )

  it.effect("list, update, remove: shares of a bucket → ordered by id, changed, gone", () =>
    Effect.gen(function* () {
      const shares = yield* ShareRepository
      const bucket = yield* Fixtures.bucket()
      const [first, second] = [yield* ShareFixtures.create(bucket), yield* ShareFixtures.create(bucket)]
      yield* ShareFixtures.create(yield* Fixtures.bucket(bucket.tenantId))
      expect(yield* shares.list({ bucket, limit: 10 })).toEqual([first.share, second.share])
      expect(yield* shares.list({ bucket, after: first.share.id, limit: 10 })).toEqual([second.share])
      const change = { name: "New", maxDownloads: 2, password: "scrypt$c$d", expiresAt: Sample.at(5) }
      const changed = { ...first.share, ...change, passwordVersion: 1, updatedAt: Sample.at(3) }
      expect(yield* shares.update({ share: first.ref, change, at: Sample.at(3) })).toEqual(Option.some(changed))
      const renamed = yield* shares.update({ share: first.ref, change: { name: "Newer" }, at: Sample.at(4) })
      expect(Option.getOrThrow(renamed).passwordVersion).toBe(1)
      expect(yield* shares.remove(first.ref)).toBe(true)
      expect(yield* shares.remove(first.ref)).toBe(false)
      expect(yield* shares.update({ share: first.ref, change, at: Sample.at(3) })).toEqual(Option.none())
    })
  )

  it.effect(
    "deleteExpired: shares that expired before the time, oldest first, up to the limit → gone; others stay",
    () =>
      Effect.gen(function* () {
        const shares = yield* ShareRepository
        const bucket = yield* Fixtures.bucket()
        // Far before the shares of other tests.
        const at = (seconds: number) => DateTime.add(DateTime.makeUnsafe("2001-01-01T00:00:00Z"), { seconds })
        const stored = yield* Effect.forEach([at(3), at(1), at(2), at(4), null], (expiresAt) =>
          ShareFixtures.create(bucket, { expiresAt })
        )
        const left = Effect.map(shares.list({ bucket, limit: 10 }), (found) =>
          found.map(({ id }) => stored.findIndex(({ share }) => share.id === id))
        )
        expect(yield* shares.deleteExpired({ before: at(4), limit: 2 })).toBe(2)
        expect(yield* left).toEqual([0, 3, 4])
        expect(yield* shares.deleteExpired({ before: at(4), limit: 2 })).toBe(1)
        expect(yield* shares.deleteExpired({ before: at(4), limit: 2 })).toBe(0)
        expect(yield* left).toEqual([3, 4])
      })
  )

  it.effect(
    "update: expired share becomes valid again, no room in the quota → QuotaExceeded; valid one → changed",
    () =>
      Effect.gen(function* () {
        const shares = yield* ShareRepository
        const bucket = yield* Fixtures.bucket()
        const valid = yield* ShareFixtures.create(bucket, { expiresAt: Sample.at(100) })
        const expired = yield* ShareFixtures.create(bucket, { expiresAt: Sample.at(1) })
        const extend = ({ ref }: typeof valid, maximum: number, expiresAt: DateTime.Utc | null) =>
          shares
            .update({ share: ref, change: { expiresAt }, at: Sample.at(10) })
            .pipe(Effect.provideService(CurrentQuota, { ...Settings.defaults.quota, shares: maximum }))
        for (const expiresAt of [Sample.at(200), null]) {
          expect(yield* Effect.flip(extend(expired, 1, expiresAt))).toMatchObject({ _tag: "QuotaExceeded" })
        }
        expect(Option.getOrThrow(yield* extend(valid, 1, Sample.at(300))).expiresAt).toEqual(Sample.at(300))
        expect(Option.getOrThrow(yield* extend(expired, 2, null)).expiresAt).toBeNull()
      })
  )

  it.effect("countDownload: 20 at the same time, five permitted → five", () =>
    Effect.gen(function* () {
      const shares = yield* ShareRepository
      const { ref, share } = yield* ShareFixtures.create(yield* Fixtures.bucket(), { maxDownloads: 5 })
      const counted = yield* Effect.forEach(Array.from({ length: 20 }), () => shares.countDownload(share.id), {
        concurrency: "unbounded"
      })
      expect(counted.filter((isCounted) => isCounted)).toHaveLength(5)
      expect(Option.getOrThrow(yield* shares.find(ref)).downloads).toBe(5)
    })
  )

  it.effect("insert: files or bytes beyond a cap of the share → refused, nothing stored; removed share → refused", () =>
    Effect.gen(function* () {
      const shares = yield* ShareRepository
      const bucket = yield* Fixtures.bucket()
      const { ref, share } = yield* ShareFixtures.create(bucket, { maxFiles: 3, maxBytes: 100 })
      const upload = (size: number, shareId: string = share.id) =>
        insertSized(bucket, size).pipe(
          Effect.provideService(UploadShare, shareId),
          Effect.as("stored"),
          Effect.catchTags({
            ShareExhausted: ({ limit }) => Effect.succeed(limit),
            NotFound: ({ resource }) => Effect.succeed(`no ${resource}`)
          })
        )
      expect([yield* upload(101), yield* upload(60), yield* upload(41), yield* upload(40)]).toEqual([
        "maxBytes",
        "stored",
        "maxBytes",
        "stored"
      ])
      const atOnce = yield* Effect.forEach([0, 0, 0], (size) => upload(size), { concurrency: "unbounded" })
      expect(atOnce.toSorted()).toEqual(["maxFiles", "maxFiles", "stored"])
      expect(Option.getOrThrow(yield* shares.find(ref))).toMatchObject({ uploadedFiles: 3, uploadedBytes: 100 })
      expect(yield* upload(0, "shr_none")).toBe("no share")
    })
  )

  it.effect("open uploads: count within the caps of their share until they end, expire or are stored", () =>
    Effect.gen(function* () {
      const shares = yield* ShareRepository
      const uploads = yield* UploadRepository
      const bucket = yield* Fixtures.bucket()
      const { ref, share } = yield* ShareFixtures.create(bucket, { maxFiles: 3, maxBytes: 100 })
      const shareId = share.id
      const create = (length: number | null, fields: Partial<StoredUpload> = {}) => {
        const terms = { ...UploadFixtures.sample(bucket).terms, shareId, ...fields.terms }
        const upload = UploadFixtures.sample(bucket, { ...fields, length, terms })
        return uploads.create(upload, { maxOpen: 100, maxOfLink: 100 }).pipe(Effect.as(upload), limitOf)
      }
      const created = (found: StoredUpload | ShareLimit) =>
        typeof found === "string" ? Effect.die(found) : Effect.succeed(found)
      const room = (bytes: number, seconds = 0) =>
        shares.checkUpload({ shareId, bytes, now: Sample.at(seconds) }).pipe(Effect.as("room"), limitOf)
      const insert = (size: number) =>
        insertSized(bucket, size).pipe(Effect.provideService(UploadShare, shareId), Effect.as("stored"), limitOf)

      // Of uploads that are created at the same time, as many as fit.
      const atOnce = yield* Effect.forEach([40, 40, 40], (length) => create(length), { concurrency: "unbounded" })
      const [first, second] = atOnce.filter((found) => typeof found !== "string")
      expect(atOnce.filter((found) => found === "maxBytes")).toHaveLength(1)
      if (first === undefined || second === undefined) return
      expect([yield* room(20), yield* room(21), yield* insert(21)]).toEqual(["room", "maxBytes", "maxBytes"])

      // An upload without a declared length counts what has arrived, and what it declares later.
      const open = yield* created(yield* create(null))
      const declare = (length: number) =>
        uploads.declareLength(UploadFixtures.refOf(open), { length, now: Sample.at() }).pipe(limitOf)
      const append = (offset: number, size: number) =>
        UploadFixtures.put(open, { offset, epoch: 0 }, size).pipe(Effect.as("added"), limitOf)
      expect([yield* append(0, 21), yield* append(0, 15), yield* append(15, 6)]).toEqual([
        "maxBytes",
        "added",
        "maxBytes"
      ])
      expect([yield* declare(21), yield* create(0), yield* insert(0)]).toEqual(["maxBytes", "maxFiles", "maxFiles"])
      yield* declare(20)

      // Its completion takes the place that it has, also while the share is full.
      const { blobId } = yield* UploadFixtures.put(first, { offset: 0, epoch: 0 }, 40)
      const file = Sample.file({ version: 1, content: { ...Sample.content(blobId), size: 40 } })
      const complete = (yield* FileRepository).insert(bucket, file, UploadFixtures.assembly(first, 1, [1]))
      yield* Effect.provideService(complete, UploadShare, shareId)
      expect(Option.getOrThrow(yield* shares.find(ref))).toMatchObject({ uploadedFiles: 1, uploadedBytes: 40 })
      expect(yield* room(0)).toBe("maxFiles")

      // The second one expires after a minute, the other ends.
      expect([yield* room(40, 59_999), yield* room(40, 60_000)]).toEqual(["maxFiles", "room"])
      yield* uploads.abort(UploadFixtures.refOf(open))
      expect([yield* room(21), yield* room(20), yield* insert(20)]).toEqual(["maxBytes", "room", "stored"])

      // Partial uploads count their bytes, and the upload that they become counts the file.
      yield* uploads.abort(UploadFixtures.refOf(second))
      const { terms } = UploadFixtures.sample(bucket)
      const partial = yield* created(yield* create(40, { terms: { ...terms, isPartial: true } }))
      const partials = [{ id: partial.id, parts: 1, bytes: 40 }]
      const joined = yield* created(yield* create(40, { received: 40, terms: { ...terms, partials } }))
      expect([yield* room(0), yield* create(0)]).toEqual(["maxFiles", "maxFiles"])
      yield* uploads.abort(UploadFixtures.refOf(joined))
      expect([yield* room(0), yield* room(1)]).toEqual(["room", "maxBytes"])
      yield* shares.remove(ref)
      expect(yield* Effect.flip(room(0))).toMatchObject({ _tag: "NotFound", resource: "share" })
      expect(yield* Effect.flip(create(0))).toMatchObject({ _tag: "NotFound", resource: "share" })
    })
  )

  it.effect("countAttempt: beyond the number → refused until the window ends, or the attempts are forgotten", () =>
    Effect.gen(function* () {
      const shares = yield* ShareRepository
      const { share } = yield* ShareFixtures.create(yield* Fixtures.bucket())
      const attempt = (at: number) =>
        shares.countAttempt({ shareId: share.id, most: 2, windowStart: Sample.at(at - 100), at: Sample.at(at) })
      expect([yield* attempt(0), yield* attempt(1), yield* attempt(2), yield* attempt(100)]).toEqual([
        true,
        true,
        false,
        false
      ])
      expect([yield* attempt(101), yield* attempt(102), yield* attempt(103)]).toEqual([true, true, false])
      yield* shares.forgetAttempts(share.id)
      expect(yield* attempt(104)).toBe(true)
    })
  )

  it.effect(
    "findByShare: creator with a token → its account, role and scope; rules of the bucket → expiry, or none",
    () =>
      Effect.gen(function* () {
        const access = yield* AccessRepository
        const bucket = yield* Fixtures.bucket()
        const { tenantId } = bucket
        const creator = yield* Fixtures.member(tenantId)
        const scope = { pathPrefix: "/in/" }
        const token = { ...Sample.token(creator.id), scope }
        yield* (yield* TokenRepository).create({ tenantId, token, hash: Sample.hash() })
        const createdBy = { member: { id: creator.id }, token: { id: token.id } }
        const { share } = yield* ShareFixtures.create(bucket, { createdBy, may: ["upload"], path: "/in/a/" })
        const find = access.findByShare({ shareId: share.id, tenantId })
        expect(Option.getOrThrow(yield* find)).toMatchObject({
          creator: { account: creator.user, credential: { scope }, member: { id: creator.id, role: "role_admin" } },
          bucketId: bucket.bucketId,
          path: "/in/a/",
          permissions: ["file:write"],
          passwordVersion: 0,
          expiresAt: null
        })
        const { update } = yield* ShareRepository
        const ref = { tenantId, bucketId: bucket.bucketId, shareId: share.id }
        yield* update({ share: ref, change: { password: null }, at: Sample.at() })
        expect(Option.getOrThrow(yield* find).passwordVersion).toBe(1)
        const rule = (shares: object) =>
          Effect.flatMap(BucketRepository, ({ update }) => update({ bucket, change: { shares }, at: Sample.at() }))
        yield* rule({ maxSeconds: 60 })
        expect(Option.getOrThrow(yield* find).expiresAt).toEqual(DateTime.add(share.createdAt, { seconds: 60 }))
        for (const rules of [{ allowed: false }, { passwordRequired: true }]) {
          yield* rule(rules)
          expect(yield* find).toEqual(Option.none())
        }
        yield* rule({})
        expect(Option.isSome(yield* find)).toBe(true)
        expect(yield* access.findByShare({ shareId: share.id, tenantId: yield* Fixtures.tenant })).toEqual(
          Option.none()
        )
      })
  )

  it.effect(
    "members: creator goes → refused with its shares, then ended or transferred; role that creates shares → kept",
    () =>
      Effect.gen(function* () {
        const members = yield* MemberRepository
        const shares = yield* ShareRepository
        const bucket = yield* Fixtures.bucket()
        const { tenantId } = bucket
        const [admin, first, second] = [
          yield* Fixtures.member(tenantId),
          yield* Fixtures.member(tenantId, Sample.member("role_file_writer")),
          yield* Fixtures.member(tenantId)
        ]
        const of = (id: string) => ({ createdBy: { member: { id }, token: null } })
        const ended = yield* ShareFixtures.create(bucket, of(first.id))
        const kept = yield* ShareFixtures.create(bucket, of(second.id))
        const at = Sample.at(5)
        const refused = yield* Effect.flip(members.remove(Fixtures.removal(tenantId, first.id)))
        expect(refused).toMatchObject({
          _tag: "CreatedResourcesRemain",
          created: {
            tokens: 0,
            mirrors: 0,
            shares: 1,
            items: [{ kind: "SHARE", id: ended.share.id }],
            isComplete: true
          }
        })
        yield* members.remove({ tenantId, memberId: first.id, created: { _tag: "End" }, at })
        expect(yield* shares.find(ended.ref)).toEqual(Option.none())
        const demotion = { tenantId, memberId: second.id, created: { _tag: "Refuse" }, at } as const
        yield* members.changeRole({ ...demotion, role: "role_file_writer" })
        expect(yield* Effect.flip(members.changeRole({ ...demotion, role: "role_file_reader" }))).toMatchObject({
          _tag: "CreatedResourcesRemain"
        })
        yield* members.changeRole({
          ...demotion,
          created: { _tag: "Transfer", to: admin.id },
          role: "role_file_reader"
        })
        expect(Option.getOrThrow(yield* shares.find(kept.ref)).createdBy).toEqual(of(admin.id).createdBy)
      })
  )

  it.effect("bucket with 501 shares removed → no share is found, removed in steps", () =>
    Effect.gen(function* () {
      const shares = yield* ShareRepository
      const removals = yield* RemovalRepository
      const bucket = yield* Fixtures.bucket()
      const [one] = yield* Effect.forEach(Array.from({ length: 501 }), () => ShareFixtures.create(bucket))
      if (one === undefined) return
      yield* (yield* BucketRepository).remove({ bucket, force: true, sweepAt: Sample.at() })
      expect(yield* shares.findByToken(one.hash)).toEqual(Option.none())
      expect(yield* shares.findById(one.share.id)).toEqual(Option.none())
      expect(yield* shares.list({ bucket, limit: 1 })).toEqual([])
      const claim = {
        id: bucket.bucketId,
        tenantId: bucket.tenantId,
        kind: "BUCKET",
        lease: "shares",
        deleted: 0
      } as const
      let claimed = yield* removals.claim({ lease: "shares", leaseUntil: Sample.at(1e9), now: Sample.at() })
      while (Option.isSome(claimed) && claimed.value.id !== claim.id) {
        claimed = yield* removals.claim({ lease: "shares", leaseUntil: Sample.at(1e9), now: Sample.at() })
      }
      const step = removals.step({ claim, limit: 400, leaseUntil: Sample.at(1e9) })
      expect([yield* step, yield* step, yield* step].map(({ deleted, state }) => [state, deleted])).toEqual([
        ["PENDING", 400],
        ["PENDING", 101],
        ["DONE", 1]
      ])
    })
  )
}
