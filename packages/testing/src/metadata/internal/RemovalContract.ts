/**
 * The contract of removals in steps: `BucketRepository.remove` and `TenantRepository.remove` of large ones, and
 * `RemovalRepository`.
 */
import { expect } from "@effect/vitest"
import { AccessRepository } from "@holdfast/core/access/AccessRepository"
import { AccountRepository } from "@holdfast/core/accounts/AccountRepository"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import { type RemovalClaim, RemovalRepository } from "@holdfast/core/buckets/RemovalRepository"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { MemberRepository } from "@holdfast/core/members/MemberRepository"
import { MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import { TenantRepository } from "@holdfast/core/tenants/TenantRepository"
import { TokenRepository } from "@holdfast/core/tokens/TokenRepository"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { It } from "./It.ts"
import * as ConversionFixtures from "../conversions/internal/ConversionFixtures.ts"
import * as Fixtures from "../Fixtures.ts"
import * as MirrorFixtures from "../mirrors/MirrorFixtures.ts"
import * as Sample from "../Sample.ts"
import * as ShareFixtures from "../shares/ShareFixtures.ts"

const sweepAt = Sample.at(90_000)
/** More files than one transaction removes. */
const manyFiles = 700
const leaseUntil = Sample.at(60_000)

/** More shares than one transaction removes. */
const manyShares = 501

/** Creates a bucket with many files: the first ten have contents. Returns it with these files. */
const createLarge = Effect.fnUntraced(function* (tenantId?: string) {
  const bucket = yield* Fixtures.bucket(tenantId)
  const stored = yield* Effect.forEach(Array.from({ length: 10 }).keys(), (index) =>
    Fixtures.store(bucket, { alias: `alias-${index}` })
  )
  yield* Effect.forEach(Array.from({ length: manyFiles }), () => Fixtures.reserve(bucket), { concurrency: 8 })
  return { bucket, stored }
})

/** Claims removals until it gets that of `id`. Other tests of the same store may have left some. */
const claim = Effect.fnUntraced(function* (id: string, lease = Sample.word(), now = Sample.at()) {
  const removals = yield* RemovalRepository
  while (true) {
    const found = yield* removals.claim({ lease, leaseUntil, now })
    if (Option.isNone(found) || found.value.id === id) return found
  }
})

/** Runs steps of at most 100 rows until the removal is no longer pending. Returns the rows of each step. */
const finish = Effect.fnUntraced(function* (one: RemovalClaim) {
  const removals = yield* RemovalRepository
  const deleted: Array<number> = []
  while (true) {
    const step = yield* removals.step({ claim: one, limit: 100, leaseUntil })
    deleted.push(step.deleted)
    if (step.state !== "PENDING") return { state: step.state, deleted }
  }
})

const expectGone = Effect.fnUntraced(function* (bucket: BucketRef, fileId: string) {
  const [files, buckets] = [yield* FileRepository, yield* BucketRepository]
  const selectors = [Fixtures.byId(fileId), Fixtures.byAlias("alias-0")]
  for (const selector of selectors) {
    const at = Sample.at(1)
    expect(yield* files.find(bucket, selector)).toEqual(Option.none())
    const failures = [
      yield* Effect.result(files.update({ bucket, selector, change: { name: "x" }, at })),
      yield* Effect.result(files.updateHeaders({ bucket, selector, change: () => Result.succeed([]), at })),
      yield* Effect.result(files.remove({ bucket, selector, condition: {}, sweepAt })),
      yield* Effect.result(files.remove({ bucket, selector, condition: { ifMatch: ["x"] }, sweepAt }))
    ]
    for (const failure of failures) {
      expect(failure).toMatchObject({ _tag: "Failure", failure: { _tag: "NotFound", resource: "file" } })
    }
  }
  const none = { files: [], next: null }
  for (const recursive of [true, false]) {
    expect(yield* files.list({ bucket, query: { path: "/", recursive }, limit: 10 })).toEqual(none)
    expect(yield* files.list({ bucket, query: { path: "/", recursive, name: "" }, limit: 10 })).toEqual(none)
    expect(yield* files.list({ bucket, query: { path: "/", recursive, state: "READY" }, limit: 10 })).toEqual(none)
    expect(yield* files.list({ bucket, query: { path: "/", recursive, state: "RESERVED" }, limit: 10 })).toEqual(none)
  }
  expect(yield* files.listFolders({ bucket, path: "/", limit: 10 })).toEqual([])
  const missing = { _tag: "NotFound", resource: "bucket" }
  expect(yield* Effect.flip(files.insert(bucket, Sample.file()))).toMatchObject(missing)
  expect(yield* Effect.flip(Fixtures.stage(bucket))).toMatchObject(missing)
  expect(yield* Effect.flip((yield* MirrorRepository).create(MirrorFixtures.newMirror(bucket)))).toMatchObject(missing)
  expect(yield* buckets.find(bucket)).toEqual(Option.none())
  expect(yield* buckets.list({ tenantId: bucket.tenantId, limit: 10 })).toEqual([])
  expect(yield* buckets.update({ bucket, change: { name: "x" }, at: Sample.at(1) })).toEqual(Option.none())
  for (const force of [true, false]) expect(yield* buckets.remove({ bucket, force, sweepAt })).toBe(false)
})

const checkBucket = Effect.gen(function* () {
  const [buckets, files] = [yield* BucketRepository, yield* FileRepository]
  const { bucket, stored } = yield* createLarge()
  const [first] = stored
  const before = Option.getOrThrow(yield* buckets.find(bucket))
  const neighbour = yield* Fixtures.store(yield* Fixtures.bucket())
  const staged = yield* Fixtures.stage(bucket)
  const mirror = MirrorFixtures.newMirror(bucket)
  yield* (yield* MirrorRepository).create(mirror)
  expect(yield* buckets.remove({ bucket, force: true, sweepAt })).toBe(true)
  yield* expectGone(bucket, first?.id ?? "")
  const found = yield* (yield* MirrorRepository).find({ ...bucket, mirrorId: mirror.id }, Sample.at())
  expect(found).toEqual(Option.none())
  const content = Sample.content(staged)
  const late = files.replaceContent({ bucket, fileId: first?.id ?? "", content, condition: {}, sweepAt })
  expect(yield* Effect.flip(late)).toMatchObject({ _tag: "NotFound" })
  const upload = Sample.file({ version: 1, content })
  expect(yield* Effect.flip(files.insert(bucket, upload))).toMatchObject({ _tag: "NotFound", resource: "bucket" })

  // The name is free at once.
  const again = Sample.bucket(before.name)
  yield* buckets.create(bucket.tenantId, again)
  yield* buckets.remove({ bucket: { ...bucket, bucketId: again.id }, force: false, sweepAt })

  const one = Option.getOrThrow(yield* claim(bucket.bucketId))
  expect(one).toMatchObject({ kind: "BUCKET", tenantId: bucket.tenantId, deleted: 0 })
  expect(yield* claim(bucket.bucketId)).toEqual(Option.none())
  const { deleted, state } = yield* finish(one)
  expect(state).toBe("DONE")
  expect(deleted.reduce((sum, count) => sum + count, 0)).toBe(manyFiles + 11)
  expect(Math.max(...deleted)).toBe(100)
  for (const { content } of stored) {
    expect((yield* Fixtures.blob(content.blobId))?.state).toBe("DOOMED")
    expect(yield* Fixtures.isDue(content.blobId)).toBe(false)
    expect(yield* Fixtures.isDue(content.blobId, sweepAt)).toBe(true)
  }
  expect((yield* Fixtures.blob(neighbour.content.blobId))?.state).toBe("READY")
  yield* expectGone(bucket, first?.id ?? "")
})

const checkTenant = Effect.gen(function* () {
  const [tenants, access, members] = [yield* TenantRepository, yield* AccessRepository, yield* MemberRepository]
  const user = yield* (yield* AccountRepository).findOrCreate(Sample.account())
  const [tenant, member] = [Sample.tenant(), Sample.member("role_admin", user)]
  yield* tenants.create({ tenant, member })
  const tenantId = tenant.id
  const { bucket, stored } = yield* createLarge(tenantId)
  const hash = Sample.hash()
  yield* (yield* TokenRepository).create({ tenantId, token: Sample.token(member.id), hash })
  const key = Sample.accountKey()
  yield* (yield* AccountRepository).putKey(user.id, key)
  expect(yield* tenants.remove({ tenantId, force: true, sweepAt })).toBe(true)

  const expectTenantGone = Effect.gen(function* () {
    expect(yield* access.findByKey({ hash, tenantId })).toEqual(Option.none())
    expect(yield* access.findByKey({ hash: key.hash, tenantId })).toMatchObject({ value: { member: null } })
    expect(yield* access.findByAccount({ accountId: user.id, tenantId })).toMatchObject({ value: { member: null } })
    expect(yield* tenants.find(tenantId)).toEqual(Option.none())
    expect(yield* tenants.list({ accountId: user.id, limit: 10 })).toEqual([])
    expect((yield* tenants.list({ limit: 1000 })).map(({ id }) => id)).not.toContain(tenantId)
    expect(yield* tenants.update({ tenantId, change: { name: "x" }, at: Sample.at(1) })).toEqual(Option.none())
    for (const force of [true, false]) expect(yield* tenants.remove({ tenantId, force, sweepAt })).toBe(false)
    const missing = { _tag: "NotFound", resource: "tenant" }
    expect(yield* Effect.flip((yield* BucketRepository).create(tenantId, Sample.bucket()))).toMatchObject(missing)
    expect(yield* Effect.flip(members.add(tenantId, Sample.member()))).toMatchObject(missing)
    yield* expectGone(bucket, stored[0]?.id ?? "")
  })
  yield* expectTenantGone

  // The subdomain is free at once.
  const again = { ...Sample.tenant(), subdomain: tenant.subdomain }
  yield* tenants.create({ tenant: again })
  yield* tenants.remove({ tenantId: again.id, force: false, sweepAt })

  // The tenant stays until its buckets are deleted.
  const removals = yield* RemovalRepository
  const ofTenant = Option.getOrThrow(yield* claim(tenantId))
  expect(ofTenant).toMatchObject({ kind: "TENANT", tenantId })
  expect((yield* finish(ofTenant)).state).toBe("WAITING")
  expect(yield* members.list({ tenantId, limit: 10 })).toEqual([])
  yield* removals.release(ofTenant, Sample.at())
  const ofBucket = Option.getOrThrow(yield* claim(bucket.bucketId, Sample.word(), Sample.at(70_000)))
  expect((yield* finish(ofBucket)).state).toBe("DONE")
  const last = Option.getOrThrow(yield* claim(tenantId, Sample.word(), Sample.at(70_000)))
  expect((yield* finish(last)).state).toBe("DONE")
  for (const { content } of stored) expect((yield* Fixtures.blob(content.blobId))?.state).toBe("DOOMED")
  yield* expectTenantGone
})

const checkLease = Effect.gen(function* () {
  const [buckets, removals] = [yield* BucketRepository, yield* RemovalRepository]
  const { bucket, stored } = yield* createLarge()
  yield* buckets.remove({ bucket, force: true, sweepAt })
  const first = Option.getOrThrow(yield* claim(bucket.bucketId))
  expect((yield* removals.step({ claim: first, limit: 100, leaseUntil })).deleted).toBe(100)
  // The process of the first claim has died, and the lease expired.
  const second = Option.getOrThrow(yield* claim(bucket.bucketId, Sample.word(), Sample.at(60_001)))
  expect(second.deleted).toBe(100)
  expect(yield* removals.step({ claim: first, limit: 100, leaseUntil })).toEqual({ state: "LOST", deleted: 0 })
  yield* removals.release(first, Sample.at())
  expect((yield* finish(second)).state).toBe("DONE")
  expect(yield* removals.step({ claim: second, limit: 100, leaseUntil })).toEqual({ state: "LOST", deleted: 0 })
  const states = (yield* Fixtures.blobsOf(bucket)).map(({ state }) => state)
  expect(states).toEqual(stored.map(() => "DOOMED"))
})

const checkConversions = Effect.gen(function* () {
  yield* ConversionFixtures.failPending
  const [buckets, conversions] = [yield* BucketRepository, yield* ConversionRepository]
  const { bucket, stored } = yield* createLarge()
  const sources = stored.map(({ content, id }) => ({ bucket, source: { fileId: id, blobId: content.blobId } }))
  yield* Effect.forEach(sources, (source) => ConversionFixtures.request(source))
  const claim = yield* ConversionFixtures.claimNext()
  expect(claim.bucketId).toBe(bucket.bucketId)
  yield* buckets.remove({ bucket, force: true, sweepAt })
  expect(yield* ConversionFixtures.claimAt()).toEqual(Option.none())
  expect((yield* Effect.flip(conversions.renew(claim, Sample.at(60_000))))._tag).toBe("LeaseLost")
  // Also after the lease has expired.
  expect(yield* ConversionFixtures.claimAt(40_000, 70_000)).toEqual(Option.none())
})

const checkRace = Effect.gen(function* () {
  const [buckets, files] = [yield* BucketRepository, yield* FileRepository]
  const { bucket, stored } = yield* createLarge()
  const uploads = yield* Effect.forEach(Array.from({ length: 20 }), () => Fixtures.stage(bucket))
  const existing = stored[0]?.id ?? ""
  const change = (index: number): Effect.Effect<unknown, { readonly _tag: string }> => {
    if (index === 7) return buckets.remove({ bucket, force: true, sweepAt })
    const content = Sample.content(uploads[index] ?? "")
    return index % 2 === 0
      ? files.insert(bucket, Sample.file({ version: 1, content }))
      : files.replaceContent({ bucket, fileId: existing, content, condition: {}, sweepAt })
  }
  const failures = (yield* Fixtures.concurrently(20, change)).filter(Result.isFailure)
  expect(failures.filter(({ failure }) => failure._tag !== "NotFound")).toEqual([])
  const one = Option.getOrThrow(yield* claim(bucket.bucketId))
  expect((yield* finish(one)).state).toBe("DONE")
  expect((yield* Fixtures.blobsOf(bucket)).map(({ state }) => state)).not.toContain("READY")
})

const checkShares = Effect.gen(function* () {
  const bucket = yield* Fixtures.bucket()
  const other = yield* Fixtures.bucket(bucket.tenantId)
  // In the order in which they are claimed.
  const [first, second] = [bucket.bucketId, other.bucketId].toSorted()
  const shares = Array.from({ length: manyShares }, (_, index) => (index % 2 === 0 ? bucket : other))
  yield* Effect.forEach(shares, (one) => ShareFixtures.create(one), { concurrency: 8 })
  expect(yield* (yield* TenantRepository).remove({ tenantId: bucket.tenantId, force: true, sweepAt })).toBe(true)
  for (const [id, most] of [
    [first ?? "", 100],
    [second ?? "", 100],
    [bucket.tenantId, 1]
  ] as const) {
    const { deleted, state } = yield* finish(Option.getOrThrow(yield* claim(id)))
    expect(state).toBe("DONE")
    expect(Math.max(...deleted)).toBe(most)
  }
})

export const removalContract = (it: It): void => {
  it.effect("remove: tenant with few files and many shares in two buckets → deleted in steps", () => checkShares)
  it.effect(
    "remove: large bucket with force → no operation finds it, its name is free; steps delete it",
    () => checkBucket
  )
  it.effect(
    "remove: large tenant with force → it has no members, its subdomain is free; steps delete it",
    () => checkTenant
  )
  it.effect(
    "claim: lease expired → another worker continues after the last step; the first one deletes nothing",
    () => checkLease
  )
  it.effect(
    "remove: large bucket with queued and running conversions → none is claimed, the lease is lost",
    () => checkConversions
  )
  it.effect("remove: uploads at the same time as the removal of a large bucket → no READY blob stays", () => checkRace)
}
