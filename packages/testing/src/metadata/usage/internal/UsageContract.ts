/**
 * The contract of the usage counters: `UsageRepository`, and what the methods of the other ports change.
 */
import { expect } from "@effect/vitest"
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import { RemovalRepository } from "@holdfast/core/buckets/RemovalRepository"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { CaptionRepository } from "@holdfast/core/captions/CaptionRepository"
import { PosterRepository } from "@holdfast/core/posters/PosterRepository"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import { TenantRepository } from "@holdfast/core/tenants/TenantRepository"
import type { Usage } from "@holdfast/core/usage/Usage"
import { UsageRepository } from "@holdfast/core/usage/UsageRepository"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CaptionFixtures from "../../captions/CaptionFixtures.ts"
import * as PosterFixtures from "../../posters/PosterFixtures.ts"
import * as ConversionFixtures from "../../conversions/internal/ConversionFixtures.ts"
import * as Fixtures from "../../Fixtures.ts"
import type { It } from "../../internal/It.ts"
import * as Sample from "../../Sample.ts"

const none: Usage = { files: 0, contentBytes: 0, streamBytes: 0, reservedBytes: 0 }

const ofBucket = (bucket: BucketRef) => Effect.flatMap(UsageRepository, (usage) => usage.ofBucket(bucket))
const ofTenant = (tenantId: string) => Effect.flatMap(UsageRepository, (usage) => usage.ofTenant(tenantId))

/** Expects the usage of a bucket, and of its tenant that has no other bucket. */
const expectUsage = Effect.fnUntraced(function* (bucket: BucketRef, fields: Partial<Usage>) {
  expect(yield* ofBucket(bucket)).toEqual({ ...none, ...fields })
  expect(yield* ofTenant(bucket.tenantId)).toEqual({ ...none, ...fields })
})

const sweepAt = Sample.at(90_000)

const contentOf = (blobId: string, size: number) => ({ ...Sample.content(blobId), size })

/** Makes a file with a content of this size. */
const store = Effect.fnUntraced(function* (bucket: BucketRef, size: number) {
  const content = contentOf(yield* Fixtures.stage(bucket), size)
  const file = Sample.file({ version: 1, content })
  yield* (yield* FileRepository).insert(bucket, file)
  return file
})

export const usageContract = (it: It): void => {
  it.effect("usage: file inserted, content replaced, file removed → counts what is left at once", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      yield* expectUsage(bucket, {})
      const reserved = yield* Fixtures.reserve(bucket)
      const stored = yield* store(bucket, 5_000_000_001)
      yield* expectUsage(bucket, { files: 2, contentBytes: 5_000_000_001 })
      const replace = Effect.fnUntraced(function* (fileId: string, size: number) {
        const content = contentOf(yield* Fixtures.stage(bucket), size)
        yield* files.replaceContent({ bucket, fileId, content, condition: {}, sweepAt })
      })
      yield* replace(reserved.id, 7)
      yield* replace(stored.id, 10)
      yield* replace(stored.id, 0)
      yield* expectUsage(bucket, { files: 2, contentBytes: 7 })
      yield* files.remove({ bucket, selector: Fixtures.byId(reserved.id), condition: {}, sweepAt })
      yield* expectUsage(bucket, { files: 1 })
    })
  )

  it.effect("usage: failed insert → nothing is counted", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      const file = yield* store(bucket, 3)
      const content = contentOf(yield* Fixtures.stage(bucket), 9)
      const second = Sample.file({ version: 1, content, name: file.name, path: file.path })
      expect(yield* Effect.flip(files.insert(bucket, second))).toMatchObject({ _tag: "FileExists" })
      yield* expectUsage(bucket, { files: 1, contentBytes: 3 })
    })
  )

  it.effect("usage: 50 concurrent inserts and removals in two buckets → tenant has their sum", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const first = yield* Fixtures.bucket()
      const second = yield* Fixtures.bucket(first.tenantId)
      yield* Effect.forEach(
        Array.from({ length: 50 }).keys(),
        Effect.fnUntraced(function* (index) {
          const bucket = index % 2 === 0 ? first : second
          const file = yield* store(bucket, index)
          if (index % 5 === 0) {
            yield* files.remove({ bucket, selector: Fixtures.byId(file.id), condition: {}, sweepAt })
          }
        }),
        { concurrency: 16 }
      )
      const kept = Array.from({ length: 50 }).flatMap((_, index) => (index % 5 === 0 ? [] : [index]))
      const sum = (parity: number) =>
        kept.filter((index) => index % 2 === parity).reduce((total, index) => total + index, 0)
      expect(yield* ofBucket(first)).toEqual({ ...none, files: 20, contentBytes: sum(0) })
      expect(yield* ofBucket(second)).toEqual({ ...none, files: 20, contentBytes: sum(1) })
      expect(yield* ofTenant(first.tenantId)).toEqual({ ...none, files: 40, contentBytes: sum(0) + sum(1) })
    })
  )

  it.effect("usage: segments published, conversion removed → stream bytes", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const { bucket, claim, file, source } = yield* ConversionFixtures.claimed()
      const content = { files: 1, contentBytes: file.content.size }
      yield* ConversionFixtures.publish(claim, ["a.m4s", "b.m4s"])
      yield* expectUsage(bucket, { ...content, streamBytes: 10_000_000_002 })
      yield* ConversionFixtures.publish(claim, ["c.m4s"], { isFinished: true })
      yield* expectUsage(bucket, { ...content, streamBytes: 15_000_000_003 })
      yield* conversions.remove({ bucket, blobId: source.blobId, format: "hls", sweepAt })
      yield* expectUsage(bucket, content)
    })
  )

  it.effect("usage: captions attached, removed → stream bytes, as UTF-8", () =>
    Effect.gen(function* () {
      const repository = yield* CaptionRepository
      const video = yield* ConversionFixtures.video
      const content = { files: 1, contentBytes: video.file.content.size }
      const [first, second] = [
        CaptionFixtures.newCaptions(video, { cues: "Grüße 🎬" }),
        CaptionFixtures.newCaptions(video, { cues: "a" })
      ]
      yield* repository.attach(first)
      yield* repository.attach(second)
      yield* expectUsage(video.bucket, { ...content, streamBytes: 12 + 1 })
      expect(yield* Effect.flip(repository.attach({ ...first, id: Sample.id("cap"), maximum: 2 }))).toMatchObject({
        _tag: "QuotaExceeded"
      })
      yield* expectUsage(video.bucket, { ...content, streamBytes: 12 + 1 })
      yield* repository.remove(first)
      yield* repository.remove(first)
      yield* expectUsage(video.bucket, { ...content, streamBytes: 1 })
    })
  )

  it.effect("usage: contents with captions in buckets of two tenants replaced → captions count until the sweep", () =>
    Effect.gen(function* () {
      const [repository, files] = [yield* CaptionRepository, yield* FileRepository]
      const videos = [yield* ConversionFixtures.video, yield* ConversionFixtures.video]
      for (const [index, { bucket, file, ...video }] of videos.entries()) {
        yield* repository.attach(CaptionFixtures.newCaptions({ bucket, ...video }, { cues: "a".repeat(index + 1) }))
        const content = contentOf(yield* Fixtures.stage(bucket), 4)
        yield* files.replaceContent({ bucket, fileId: file.id, content, condition: {}, sweepAt })
        yield* expectUsage(bucket, { files: 1, contentBytes: 4, streamBytes: index + 1 })
      }
      yield* (yield* BlobRepository).forget(videos.map(({ source }) => source.blobId))
      for (const { bucket } of videos) yield* expectUsage(bucket, { files: 1, contentBytes: 4 })
    })
  )

  it.effect("usage: poster set, replaced, made by a worker, removed → stream bytes, in groups of three", () =>
    Effect.gen(function* () {
      const repository = yield* PosterRepository
      const video = yield* ConversionFixtures.video
      const content = { files: 1, contentBytes: video.file.content.size }
      const image = (bytes: number) => PosterFixtures.newPoster(video, { image: new Uint8Array(bytes) })
      yield* repository.set(image(9))
      yield* expectUsage(video.bucket, { ...content, streamBytes: 9 })
      yield* repository.set(image(4))
      yield* expectUsage(video.bucket, { ...content, streamBytes: 6 })
      yield* repository.set(PosterFixtures.newPoster(video, { time: 1, image: null, updatedAt: Sample.at() }))
      yield* expectUsage(video.bucket, { ...content, streamBytes: 6 })
      const task = yield* repository.claim({ now: Sample.at(), leaseUntil: Sample.at(1000) })
      yield* repository.complete(Option.getOrThrow(task), new Uint8Array(12), Sample.at(1))
      yield* expectUsage(video.bucket, { ...content, streamBytes: 12 })
      yield* repository.remove(image(1))
      yield* expectUsage(video.bucket, content)
      yield* repository.set(image(3))
      const stored = contentOf(yield* Fixtures.stage(video.bucket), 4)
      yield* (yield* FileRepository).replaceContent({
        bucket: video.bucket,
        fileId: video.file.id,
        content: stored,
        condition: {},
        sweepAt
      })
      yield* expectUsage(video.bucket, { files: 1, contentBytes: 4, streamBytes: 3 })
      yield* (yield* BlobRepository).forget([video.source.blobId])
      yield* expectUsage(video.bucket, { files: 1, contentBytes: 4 })
    })
  )

  it.effect("usage: bucket with captions removed → tenant has nothing of it, also after the sweep", () =>
    Effect.gen(function* () {
      const { bucket, ...video } = yield* ConversionFixtures.video
      yield* (yield* CaptionRepository).attach(CaptionFixtures.newCaptions({ bucket, ...video }))
      yield* (yield* BucketRepository).remove({ bucket, force: true, sweepAt: Sample.at() })
      expect(yield* ofTenant(bucket.tenantId)).toEqual(none)
      yield* (yield* BlobRepository).forget([video.source.blobId])
      expect(yield* ofTenant(bucket.tenantId)).toEqual(none)
    })
  )

  it.effect("usage: bucket with a stream removed → tenant has nothing of it, also after the sweep", () =>
    Effect.gen(function* () {
      const { bucket, claim, source } = yield* ConversionFixtures.claimed()
      yield* ConversionFixtures.publish(claim, ["a.m4s"], { isFinished: true })
      yield* (yield* BucketRepository).remove({ bucket, force: true, sweepAt: Sample.at() })
      expect(yield* ofTenant(bucket.tenantId)).toEqual(none)
      expect(yield* Effect.flip(ofBucket(bucket))).toMatchObject({ _tag: "NotFound", resource: "bucket" })
      yield* (yield* BlobRepository).forget([source.blobId])
      expect(yield* ofTenant(bucket.tenantId)).toEqual(none)
    })
  )

  it.effect("usage: bucket removed in steps → tenant counts what is left, at the end nothing", () =>
    Effect.gen(function* () {
      const removals = yield* RemovalRepository
      const bucket = yield* Fixtures.bucket()
      const other = yield* Fixtures.bucket(bucket.tenantId)
      yield* store(other, 1)
      yield* Effect.forEach(Array.from({ length: 520 }), () => store(bucket, 2), { concurrency: 8 })
      expect(yield* ofTenant(bucket.tenantId)).toEqual({ ...none, files: 521, contentBytes: 1041 })
      yield* (yield* BucketRepository).remove({ bucket, force: true, sweepAt })
      const leaseUntil = Sample.at(60_000)
      while (true) {
        const claim = yield* removals.claim({ lease: Sample.word(), leaseUntil, now: Sample.at() })
        if (Option.isNone(claim)) break
        if (claim.value.id !== bucket.bucketId) continue
        const step = { claim: claim.value, limit: 100, leaseUntil }
        yield* removals.step(step)
        expect(yield* ofTenant(bucket.tenantId)).toEqual({ ...none, files: 421, contentBytes: 841 })
        while ((yield* removals.step(step)).state === "PENDING") {}
      }
      expect(yield* ofTenant(bucket.tenantId)).toEqual({ ...none, files: 1, contentBytes: 1 })
    })
  )

  it.effect("usage: other tenant's bucket, removed tenant → not found", () =>
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const stranger = yield* Fixtures.tenant
      expect(yield* Effect.flip(ofBucket({ ...bucket, tenantId: stranger }))).toMatchObject({ _tag: "NotFound" })
      yield* (yield* TenantRepository).remove({ tenantId: stranger, force: true, sweepAt })
      expect(yield* Effect.flip(ofTenant(stranger))).toMatchObject({ _tag: "NotFound", resource: "tenant" })
    })
  )
}
