/**
 * What `BucketRepository` promises.
 */
import { expect } from "@effect/vitest"
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { It } from "./Metadata.ts"
import * as Sample from "./Sample.ts"
import * as Fixtures from "./Fixtures.ts"

const sweepAt = Sample.at(90_000)

/** A bucket of a tenant, as stored. */
const made = Effect.fnUntraced(function* (tenantId: string, name?: string) {
  const bucket = Sample.bucket(name)
  yield* (yield* BucketRepository).create(tenantId, bucket)
  return bucket
})

export const bucketContract = (it: It): void => {
  it.effect("a bucket is found as it was stored, in its tenant alone", () =>
    Effect.gen(function* () {
      const buckets = yield* BucketRepository
      const [tenantId, foreign] = [yield* Fixtures.tenant, yield* Fixtures.tenant]
      const bucket = yield* made(tenantId, "Bilder & Töne 🎵")
      expect(yield* buckets.find({ tenantId, bucketId: bucket.id })).toEqual(Option.some(bucket))
      expect(yield* buckets.find({ tenantId: foreign, bucketId: bucket.id })).toEqual(Option.none())
      const lost = yield* Effect.flip(buckets.create(Sample.id("ten"), Sample.bucket()))
      expect(lost).toMatchObject({ _tag: "NotFound", resource: "tenant" })
    })
  )

  it.effect("a name is taken in its tenant, and told with the bucket that has it", () =>
    Effect.gen(function* () {
      const buckets = yield* BucketRepository
      const tenantId = yield* Fixtures.tenant
      const bucket = yield* made(tenantId, "photos")
      const other = yield* made(tenantId, "Photos")
      const exists = { _tag: "BucketExists", existingId: bucket.id }
      expect(yield* Effect.flip(made(tenantId, "photos"))).toMatchObject(exists)
      const rename = buckets.update({
        bucket: { tenantId, bucketId: other.id },
        change: { name: "photos" },
        at: Sample.at(1)
      })
      expect(yield* Effect.flip(rename)).toMatchObject(exists)
      expect(yield* buckets.find({ tenantId, bucketId: other.id })).toEqual(Option.some(other))
      const elsewhere = yield* Fixtures.tenant
      const namesake = yield* made(elsewhere, "photos")
      expect(yield* buckets.find({ tenantId: elsewhere, bucketId: namesake.id })).toEqual(Option.some(namesake))
    })
  )

  it.effect("of many that want a name at once, one gets it", () =>
    Effect.gen(function* () {
      const tenantId = yield* Fixtures.tenant
      const results = yield* Fixtures.concurrently(20, () => made(tenantId, "photos"))
      const winner = results.find(Result.isSuccess)
      expect(results.filter(Result.isSuccess)).toHaveLength(1)
      for (const result of results.filter(Result.isFailure)) {
        expect(result.failure).toMatchObject({ _tag: "BucketExists", existingId: winner?.success.id })
      }
    })
  )

  it.effect("buckets are listed by id", () =>
    Effect.gen(function* () {
      const buckets = yield* BucketRepository
      const tenantId = yield* Fixtures.tenant
      yield* made(yield* Fixtures.tenant)
      const all = [yield* made(tenantId, "z"), yield* made(tenantId, "a"), yield* made(tenantId, "m")]
      expect(yield* buckets.list({ tenantId, limit: 10 })).toEqual(all)
      expect(yield* buckets.list({ tenantId, after: all[0]?.id, limit: 1 })).toEqual([all[1]])
    })
  )

  it.effect("a rename changes the name", () =>
    Effect.gen(function* () {
      const buckets = yield* BucketRepository
      const tenantId = yield* Fixtures.tenant
      const bucket = yield* made(tenantId)
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

  it.effect("an empty bucket is removed, in its own tenant", () =>
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

  it.effect("a bucket with files, if only reserved ones, stays unless its removal is forced", () =>
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
        doom: { sweepAt }
      })
      expect(yield* Effect.flip(replacement)).toMatchObject({ _tag: "NotFound" })
      expect((yield* Fixtures.blob(upload))?.state).toBe("PENDING")
    })
  )
}
