/**
 * The contract of `BucketRepository`.
 */
import { expect } from "@effect/vitest"
import type { UpdateBucket } from "@holdfast/core/buckets/Bucket"
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { It } from "./It.ts"
import * as Sample from "../Sample.ts"
import * as Fixtures from "../Fixtures.ts"

const sweepAt = Sample.at(90_000)

/** Creates a bucket in a tenant. */
const create = Effect.fnUntraced(function* (tenantId: string, name?: string) {
  const bucket = Sample.bucket(name)
  yield* (yield* BucketRepository).create(tenantId, bucket)
  return bucket
})

export const bucketContract = (it: It): void => {
  it.effect(
    "find, findByName: stored bucket → equal record; another tenant → none; create in an unknown tenant → NotFound",
    () =>
      Effect.gen(function* () {
        const buckets = yield* BucketRepository
        const [tenantId, foreign] = [yield* Fixtures.tenant, yield* Fixtures.tenant]
        const bucket = yield* create(tenantId, "Bilder & Töne 🎵")
        expect(yield* buckets.find({ tenantId, bucketId: bucket.id })).toEqual(Option.some(bucket))
        expect(yield* buckets.find({ tenantId: foreign, bucketId: bucket.id })).toEqual(Option.none())
        expect(yield* buckets.findByName(tenantId, bucket.name)).toEqual(Option.some(bucket))
        expect(yield* buckets.findByName(foreign, bucket.name)).toEqual(Option.none())
        const lost = yield* Effect.flip(buckets.create(Sample.id("ten"), Sample.bucket()))
        expect(lost).toMatchObject({ _tag: "NotFound", resource: "tenant" })
      })
  )

  it.effect("create and update: name exists in the tenant → BucketExists with the existing id", () =>
    Effect.gen(function* () {
      const buckets = yield* BucketRepository
      const tenantId = yield* Fixtures.tenant
      const bucket = yield* create(tenantId, "photos")
      const other = yield* create(tenantId, "Photos")
      const exists = { _tag: "BucketExists", existingId: bucket.id }
      expect(yield* Effect.flip(create(tenantId, "photos"))).toMatchObject(exists)
      const rename = buckets.update({
        bucket: { tenantId, bucketId: other.id },
        change: { name: "photos" },
        at: Sample.at(1)
      })
      expect(yield* Effect.flip(rename)).toMatchObject(exists)
      expect(yield* buckets.find({ tenantId, bucketId: other.id })).toEqual(Option.some(other))
      const elsewhere = yield* Fixtures.tenant
      const namesake = yield* create(elsewhere, "photos")
      expect(yield* buckets.find({ tenantId: elsewhere, bucketId: namesake.id })).toEqual(Option.some(namesake))
    })
  )

  it.effect("create: 20 at the same time with one name → one succeeds, the others get its id", () =>
    Effect.gen(function* () {
      const tenantId = yield* Fixtures.tenant
      const results = yield* Fixtures.concurrently(20, () => create(tenantId, "photos"))
      const winner = results.find(Result.isSuccess)
      expect(results.filter(Result.isSuccess)).toHaveLength(1)
      for (const result of results.filter(Result.isFailure)) {
        expect(result.failure).toMatchObject({ _tag: "BucketExists", existingId: winner?.success.id })
      }
    })
  )

  it.effect("list: several buckets → the tenant's own, ordered by id", () =>
    Effect.gen(function* () {
      const buckets = yield* BucketRepository
      const tenantId = yield* Fixtures.tenant
      const foreign = yield* create(yield* Fixtures.tenant)
      const all = [yield* create(tenantId, "z"), yield* create(tenantId, "a"), yield* create(tenantId, "m")]
      expect(yield* buckets.list({ tenantId, limit: 10 })).toEqual(all)
      expect(yield* buckets.list({ tenantId, after: all[0]?.id, limit: 1 })).toEqual([all[1]])
      const only = [all[2]?.id ?? "", all[0]?.id ?? "", foreign.id]
      expect(yield* buckets.list({ tenantId, only, limit: 10 })).toEqual([all[0], all[2]])
      expect(yield* buckets.list({ tenantId, only, after: all[0]?.id, limit: 10 })).toEqual([all[2]])
    })
  )

  it.effect("update: new name → name and updatedAt changed; another tenant → none", () =>
    Effect.gen(function* () {
      const buckets = yield* BucketRepository
      const tenantId = yield* Fixtures.tenant
      const bucket = yield* create(tenantId)
      const foreign = yield* Fixtures.tenant
      expect(
        yield* buckets.update({
          bucket: { tenantId: foreign, bucketId: bucket.id },
          change: { name: "new" },
          at: Sample.at(1)
        })
      ).toEqual(Option.none())
      const renamed = { ...bucket, name: "new", updatedAt: Sample.at(1) }
      expect(
        yield* buckets.update({ bucket: { tenantId, bucketId: bucket.id }, change: { name: "new" }, at: Sample.at(1) })
      ).toEqual(Option.some(renamed))
      expect(yield* buckets.find({ tenantId, bucketId: bucket.id })).toEqual(Option.some(renamed))
    })
  )

  it.effect("rules and limits: create, update, clear → in the record and in the result of stage", () =>
    Effect.gen(function* () {
      const buckets = yield* BucketRepository
      const tenantId = yield* Fixtures.tenant
      const made = {
        ...Sample.bucket(),
        maxBytes: 2 ** 50,
        maxFiles: 7,
        maxFileBytes: 2 ** 40,
        allowedTypes: ["image/*", "text/plain"]
      }
      yield* buckets.create(tenantId, made)
      const bucket = { tenantId, bucketId: made.id }
      expect(yield* buckets.find(bucket)).toEqual(Option.some(made))
      const staged = Effect.flatMap(BlobRepository, (blobs) =>
        blobs.stage({ bucket, blobId: Sample.id("blb"), at: Sample.at(), leaseUntil: Sample.at(60_000) })
      )
      const { allowedTypes, maxFileBytes } = made
      expect(yield* staged).toEqual({ maxFileBytes, allowedTypes })
      const update = (change: UpdateBucket) => buckets.update({ bucket, change, at: Sample.at(1) })
      const cleared = { ...made, allowedTypes: null, updatedAt: Sample.at(1) }
      expect(yield* update({ allowedTypes: null })).toEqual(Option.some(cleared))
      expect(yield* update({ maxFileBytes: 5 })).toEqual(Option.some({ ...cleared, maxFileBytes: 5 }))
      const limits = { maxBytes: null, maxFiles: 0 }
      expect(yield* update(limits)).toEqual(Option.some({ ...cleared, maxFileBytes: 5, ...limits }))
      expect(yield* staged).toEqual({ maxFileBytes: 5, allowedTypes: null })
    })
  )

  it.effect("remove: empty bucket → true; removed already or of another tenant → false", () =>
    Effect.gen(function* () {
      const buckets = yield* BucketRepository
      const bucket = yield* Fixtures.bucket()
      const foreign = yield* Fixtures.tenant
      expect(
        yield* buckets.remove({ bucket: { tenantId: foreign, bucketId: bucket.bucketId }, force: true, sweepAt })
      ).toBe(false)
      expect(yield* buckets.remove({ bucket, force: false, sweepAt })).toBe(true)
      expect(yield* buckets.remove({ bucket, force: false, sweepAt })).toBe(false)
    })
  )

  it.effect(
    "remove: bucket with files → BucketNotEmpty; with force → files removed, blobs DOOMED, later uploads fail",
    () =>
      Effect.gen(function* () {
        const buckets = yield* BucketRepository
        const files = yield* FileRepository
        const bucket = yield* Fixtures.bucket()
        const neighbour = yield* Fixtures.store(yield* Fixtures.bucket(bucket.tenantId))
        const reserved = yield* Fixtures.reserve(bucket)
        const removal = (force: boolean) => buckets.remove({ bucket, force, sweepAt })
        expect((yield* Effect.flip(removal(false)))._tag).toBe("BucketNotEmpty")
        const stored = yield* Fixtures.store(bucket)
        const upload = yield* Fixtures.stage(bucket)
        expect(yield* removal(true)).toBe(true)
        for (const { id } of [reserved, stored]) {
          expect(yield* files.find(bucket, Fixtures.byId(id))).toEqual(Option.none())
        }
        expect((yield* Fixtures.blob(stored.content.blobId))?.state).toBe("DOOMED")
        expect(yield* Fixtures.isDue(stored.content.blobId)).toBe(false)
        expect(yield* Fixtures.isDue(stored.content.blobId, sweepAt)).toBe(true)
        expect((yield* Fixtures.blob(neighbour.content.blobId))?.state).toBe("READY")
        const late = Sample.file({ version: 1, content: Sample.content(upload) })
        expect(yield* Effect.flip(files.insert(bucket, late))).toMatchObject({ _tag: "NotFound", resource: "bucket" })
        const replacement = files.replaceContent({
          bucket,
          fileId: stored.id,
          content: Sample.content(upload),
          condition: {},
          sweepAt
        })
        expect(yield* Effect.flip(replacement)).toMatchObject({ _tag: "NotFound" })
        expect((yield* Fixtures.blob(upload))?.state).toBe("PENDING")
      })
  )
}
