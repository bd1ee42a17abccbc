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
import * as World from "./World.ts"

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
      const [tenantId, foreign] = [yield* World.tenant, yield* World.tenant]
      const bucket = yield* made(tenantId, "Bilder & Töne 🎵")
      expect(yield* buckets.find(tenantId, bucket.id)).toEqual(Option.some(bucket))
      expect(yield* buckets.find(foreign, bucket.id)).toEqual(Option.none())
      const lost = yield* Effect.flip(buckets.create(Sample.id("ten"), Sample.bucket()))
      expect(lost).toMatchObject({ _tag: "NotFound", resource: "tenant" })
    })
  )

  it.effect("a name is taken in its tenant, and told with the bucket that has it", () =>
    Effect.gen(function* () {
      const buckets = yield* BucketRepository
      const tenantId = yield* World.tenant
      const bucket = yield* made(tenantId, "photos")
      const other = yield* made(tenantId, "Photos")
      const exists = { _tag: "BucketExists", existingId: bucket.id }
      expect(yield* Effect.flip(made(tenantId, "photos"))).toMatchObject(exists)
      const rename = buckets.update(tenantId, other.id, { name: "photos" }, Sample.at(1))
      expect(yield* Effect.flip(rename)).toMatchObject(exists)
      expect(yield* buckets.find(tenantId, other.id)).toEqual(Option.some(other))
      const elsewhere = yield* World.tenant
      const namesake = yield* made(elsewhere, "photos")
      expect(yield* buckets.find(elsewhere, namesake.id)).toEqual(Option.some(namesake))
    })
  )

  it.effect("of many that want a name at once, one gets it", () =>
    Effect.gen(function* () {
      const tenantId = yield* World.tenant
      const results = yield* World.race(20, () => made(tenantId, "photos"))
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
      const tenantId = yield* World.tenant
      yield* made(yield* World.tenant)
      const all = [yield* made(tenantId, "z"), yield* made(tenantId, "a"), yield* made(tenantId, "m")]
      expect(yield* buckets.list(tenantId, undefined, 10)).toEqual(all)
      expect(yield* buckets.list(tenantId, all[0]?.id, 1)).toEqual([all[1]])
    })
  )

  it.effect("a rename changes the name", () =>
    Effect.gen(function* () {
      const buckets = yield* BucketRepository
      const tenantId = yield* World.tenant
      const bucket = yield* made(tenantId)
      const foreign = yield* World.tenant
      expect(yield* buckets.update(foreign, bucket.id, { name: "new" }, Sample.at(1))).toEqual(Option.none())
      const renamed = { ...bucket, name: "new", updatedAt: Sample.at(1) }
      expect(yield* buckets.update(tenantId, bucket.id, { name: "new" }, Sample.at(1))).toEqual(Option.some(renamed))
      expect(yield* buckets.find(tenantId, bucket.id)).toEqual(Option.some(renamed))
    })
  )

  it.effect("an empty bucket is removed, in its own tenant", () =>
    Effect.gen(function* () {
      const buckets = yield* BucketRepository
      const bucket = yield* World.bucket()
      const foreign = yield* World.tenant
      expect(yield* buckets.remove(foreign, bucket.bucketId, { force: true, sweepAt })).toBe(false)
      expect(yield* buckets.remove(bucket.tenantId, bucket.bucketId, { force: false, sweepAt })).toBe(true)
      expect(yield* buckets.remove(bucket.tenantId, bucket.bucketId, { force: false, sweepAt })).toBe(false)
    })
  )

  it.effect("a bucket with files, if only reserved ones, stays unless its removal is forced", () =>
    Effect.gen(function* () {
      const buckets = yield* BucketRepository
      const files = yield* FileRepository
      const bucket = yield* World.bucket()
      const neighbour = yield* World.store(yield* World.bucket(bucket.tenantId))
      const reserved = yield* World.reserve(bucket)
      const removal = (force: boolean) => buckets.remove(bucket.tenantId, bucket.bucketId, { force, sweepAt })
      expect((yield* Effect.flip(removal(false)))._tag).toBe("BucketNotEmpty")
      const stored = yield* World.store(bucket)
      const upload = yield* World.stage(bucket)
      expect(yield* removal(true)).toBe(true)
      for (const { id } of [reserved, stored]) {
        expect(yield* files.find(bucket, World.byId(id))).toEqual(Option.none())
      }
      expect((yield* World.blob(stored.content.blobId))?.state).toBe("DOOMED")
      expect(yield* World.isDue(stored.content.blobId)).toBe(false)
      expect(yield* World.isDue(stored.content.blobId, sweepAt)).toBe(true)
      expect((yield* World.blob(neighbour.content.blobId))?.state).toBe("READY")
      const late = Sample.file({ version: 1, content: Sample.content(upload) })
      expect(yield* Effect.flip(files.insert(bucket, late))).toMatchObject({ _tag: "NotFound", resource: "bucket" })
      const replacement = files.replaceContent(bucket, stored.id, Sample.content(upload), {}, { sweepAt })
      expect(yield* Effect.flip(replacement)).toMatchObject({ _tag: "NotFound" })
      expect((yield* World.blob(upload))?.state).toBe("PENDING")
    })
  )
}
