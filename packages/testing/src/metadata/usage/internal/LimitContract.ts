/**
 * The contract of limits on files and bytes: what the methods of the ports refuse.
 */
import { expect } from "@effect/vitest"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { CaptionRepository } from "@holdfast/core/captions/CaptionRepository"
import { PosterRepository } from "@holdfast/core/posters/PosterRepository"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import { UsageRepository } from "@holdfast/core/usage/UsageRepository"
import { type Limits, within } from "@holdfast/core/usage/UsageLimits"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as CaptionFixtures from "../../captions/CaptionFixtures.ts"
import * as PosterFixtures from "../../posters/PosterFixtures.ts"
import * as ConversionFixtures from "../../conversions/internal/ConversionFixtures.ts"
import * as Fixtures from "../../Fixtures.ts"
import type { It } from "../../internal/It.ts"
import * as Sample from "../../Sample.ts"

const none: Limits = { files: null, bytes: null }
const ofTenant = (limits: Partial<Limits>) => within({ tenant: { ...none, ...limits }, bucket: none })
const ofBucket = (limits: Partial<Limits>) => within({ tenant: none, bucket: { ...none, ...limits } })

const sweepAt = Sample.at(90_000)

const contentOf = (blobId: string, size: number) => ({ ...Sample.content(blobId), size })

/** Reserves the bytes of an upload and commits it. */
const upload = Effect.fnUntraced(function* (bucket: BucketRef, size: number) {
  const blobId = yield* Fixtures.stage(bucket)
  yield* (yield* BlobRepository).reserve({ bucket, blobId, bytes: size })
  yield* insert(bucket, blobId, size)
})

const insert = Effect.fnUntraced(function* (bucket: BucketRef, blobId: string, size: number) {
  const file = Sample.file({ version: 1, content: contentOf(blobId, size) })
  yield* (yield* FileRepository).insert(bucket, file)
  return file
})

const usageOf = (bucket: BucketRef) => Effect.flatMap(UsageRepository, (usage) => usage.ofBucket(bucket))

const exceeded = (quota: object) => ({ _tag: "QuotaExceeded", code: "quota_exceeded", quota })

const accepted = (results: ReadonlyArray<Result.Result<unknown, unknown>>) => results.filter(Result.isSuccess).length

/** Expects that all others were refused by the limit, not by a lock. */
const expectRefused = (results: ReadonlyArray<Result.Result<unknown, unknown>>) => {
  for (const result of results) {
    if (Result.isFailure(result)) expect(result.failure).toMatchObject({ _tag: "QuotaExceeded" })
  }
}

export const limitContract = (it: It): void => {
  it.effect("limits: reservation up to the last byte → accepted; one byte more → refused, nothing reserved", () =>
    Effect.gen(function* () {
      const blobs = yield* BlobRepository
      const bucket = yield* Fixtures.bucket()
      const blobId = yield* Fixtures.stage(bucket)
      const reserve = (bytes: number) => blobs.reserve({ bucket, blobId, bytes }).pipe(ofTenant({ bytes: 100 }))
      expect(yield* Effect.flip(reserve(101))).toMatchObject(
        exceeded({ owner: "tenant", limit: "bytes", maximum: 100, use: 0 })
      )
      expect(yield* usageOf(bucket)).toMatchObject({ reservedBytes: 0 })
      yield* reserve(60)
      yield* reserve(100)
      expect(yield* usageOf(bucket)).toMatchObject({ reservedBytes: 100, contentBytes: 0 })
      const second = yield* Fixtures.stage(bucket)
      expect(
        yield* Effect.flip(blobs.reserve({ bucket, blobId: second, bytes: 1 }).pipe(ofTenant({ bytes: 100 })))
      ).toMatchObject(exceeded({ owner: "tenant", limit: "bytes", maximum: 100, use: 100 }))
      yield* insert(bucket, blobId, 90).pipe(ofTenant({ bytes: 100 }))
      expect(yield* usageOf(bucket)).toMatchObject({ reservedBytes: 0, contentBytes: 90 })
      yield* upload(bucket, 10).pipe(ofTenant({ bytes: 100 }))
    })
  )

  it.effect("limits: upload discarded, or its lease expired → reservation given back", () =>
    Effect.gen(function* () {
      const blobs = yield* BlobRepository
      const bucket = yield* Fixtures.bucket()
      const reserve = (blobId: string) => blobs.reserve({ bucket, blobId, bytes: 100 }).pipe(ofBucket({ bytes: 100 }))
      const first = yield* Fixtures.stage(bucket)
      yield* reserve(first)
      yield* blobs.forget([first])
      const second = yield* Fixtures.stage(bucket, Sample.at(-1_000_000))
      yield* reserve(second)
      yield* blobs.expire({ before: Sample.at(-999_999) })
      expect(yield* usageOf(bucket)).toMatchObject({ reservedBytes: 0 })
      yield* reserve(yield* Fixtures.stage(bucket))
      yield* blobs.forget([second])
      expect(yield* usageOf(bucket)).toMatchObject({ reservedBytes: 100 })
    })
  )

  it.effect("limits: content without reservation → checked at the commit; replaced bytes are room", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      const limits = ofBucket({ bytes: 10 })
      const file = yield* insert(bucket, yield* Fixtures.stage(bucket), 10).pipe(limits)
      expect(yield* Effect.flip(insert(bucket, yield* Fixtures.stage(bucket), 1).pipe(limits))).toMatchObject(
        exceeded({ owner: "bucket", limit: "bytes", maximum: 10, use: 10 })
      )
      const replace = Effect.fnUntraced(function* (size: number) {
        const content = contentOf(yield* Fixtures.stage(bucket), size)
        return yield* files.replaceContent({ bucket, fileId: file.id, content, condition: {}, sweepAt })
      })
      yield* replace(10).pipe(limits)
      expect(yield* Effect.flip(replace(11).pipe(limits))).toMatchObject({ _tag: "QuotaExceeded" })
      yield* replace(4).pipe(limits)
      yield* insert(bucket, yield* Fixtures.stage(bucket), 6).pipe(limits)
      expect(yield* usageOf(bucket)).toMatchObject({ files: 2, contentBytes: 10 })
    })
  )

  it.effect("limits: limit lowered below the use → only growth is refused; raised → accepted", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      yield* upload(bucket, 50).pipe(ofTenant({ bytes: 100, files: 10 }))
      const file = yield* Fixtures.reserve(bucket).pipe(ofTenant({ bytes: 100, files: 10 }))
      expect(yield* Effect.flip(upload(bucket, 1).pipe(ofTenant({ bytes: 20 })))).toMatchObject(
        exceeded({ owner: "tenant", limit: "bytes", maximum: 20, use: 50 })
      )
      expect(yield* Effect.flip(Fixtures.reserve(bucket).pipe(ofTenant({ files: 1 })))).toMatchObject(
        exceeded({ owner: "tenant", limit: "files", maximum: 1, use: 2 })
      )
      yield* files
        .remove({ bucket, selector: Fixtures.byId(file.id), condition: {}, sweepAt })
        .pipe(ofTenant({ files: 1 }))
      yield* upload(bucket, 50).pipe(ofTenant({ bytes: 100, files: 2 }))
      expect(yield* usageOf(bucket)).toMatchObject({ files: 2, contentBytes: 100, reservedBytes: 0 })
    })
  )

  it.effect("limits: segments of a stream → count, refused beyond the limit", () =>
    Effect.gen(function* () {
      const { bucket, claim, file } = yield* ConversionFixtures.claimed()
      const size = file.content.size
      const limits = ofBucket({ bytes: 2 * size })
      yield* ConversionFixtures.publish(claim, ["a.m4s"]).pipe(limits)
      expect(yield* Effect.flip(ConversionFixtures.publish(claim, ["b.m4s"]).pipe(limits))).toMatchObject(
        exceeded({ owner: "bucket", limit: "bytes", maximum: 2 * size, use: 2 * size })
      )
      expect(yield* usageOf(bucket)).toMatchObject({ streamBytes: size })
      yield* (yield* ConversionRepository).remove({ bucket, blobId: file.content.blobId, format: "hls", sweepAt })
      yield* upload(bucket, size).pipe(limits)
    })
  )

  it.effect("limits: captions → count, refused beyond the limit of bucket or tenant, nothing attached", () =>
    Effect.gen(function* () {
      const repository = yield* CaptionRepository
      const video = yield* ConversionFixtures.video
      const attach = (cues: string) => repository.attach(CaptionFixtures.newCaptions(video, { cues }))
      const use = video.file.content.size
      for (const [limits, owner] of [
        [ofTenant, "tenant"],
        [ofBucket, "bucket"]
      ] as const) {
        expect(yield* Effect.flip(attach("ü").pipe(limits({ bytes: use + 1 })))).toMatchObject(
          exceeded({ owner, limit: "bytes", maximum: use + 1, use })
        )
      }
      expect(yield* repository.listByContent(CaptionFixtures.newCaptions(video))).toEqual([])
      expect(yield* usageOf(video.bucket)).toMatchObject({ streamBytes: 0 })
      yield* attach("ü").pipe(ofBucket({ bytes: use + 2 }))
      expect(
        yield* Effect.flip(
          insert(video.bucket, yield* Fixtures.stage(video.bucket), 1).pipe(ofBucket({ bytes: use + 2 }))
        )
      ).toMatchObject(exceeded({ owner: "bucket", limit: "bytes", maximum: use + 2, use: use + 2 }))
    })
  )

  it.effect("limits: posters → count, refused beyond the limit, the former stays", () =>
    Effect.gen(function* () {
      const repository = yield* PosterRepository
      const video = yield* ConversionFixtures.video
      const use = video.file.content.size
      const poster = (bytes: number) => PosterFixtures.newPoster(video, { image: new Uint8Array(bytes) })
      const limits = ofBucket({ bytes: use + 6 })
      yield* repository.set(poster(6)).pipe(limits)
      expect(yield* Effect.flip(repository.set(poster(7)).pipe(limits))).toMatchObject(
        exceeded({ owner: "bucket", limit: "bytes", maximum: use + 6, use: use + 6 })
      )
      expect(Option.getOrThrow(yield* repository.find(poster(6))).image).toEqual(new Uint8Array(6))
      yield* repository.set(poster(3)).pipe(limits)
      yield* repository.set(PosterFixtures.newPoster(video, { time: 1, image: null })).pipe(limits)
      const task = yield* repository.claim({ now: Sample.at(), leaseUntil: Sample.at(1000) })
      const complete = (bytes: number) =>
        repository.complete(Option.getOrThrow(task), new Uint8Array(bytes), Sample.at(1)).pipe(limits)
      expect(yield* Effect.flip(complete(7))).toMatchObject({ _tag: "QuotaExceeded" })
      yield* complete(6)
      expect(yield* usageOf(video.bucket)).toMatchObject({ streamBytes: 6 })
    })
  )

  it.effect("limits: 64 concurrent uploads for 10 places → 10 accepted, sum exact", () =>
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const other = yield* Fixtures.bucket(bucket.tenantId)
      const results = yield* Fixtures.concurrently(64, (index) =>
        upload(index % 2 === 0 ? bucket : other, 7).pipe(ofTenant({ bytes: 76 }))
      )
      expectRefused(results)
      expect(accepted(results)).toBe(10)
      const usage = yield* (yield* UsageRepository).ofTenant(bucket.tenantId)
      expect(usage).toEqual({ files: 10, contentBytes: 70, streamBytes: 0, reservedBytes: 0 })
      yield* upload(bucket, 6).pipe(ofTenant({ bytes: 76 }))
    })
  )

  it.effect("limits: 64 concurrent reservations of files for 10 places in tenant and bucket → 10 accepted", () =>
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const limits = { files: 10, bytes: 1000 }
      const results = yield* Fixtures.concurrently(64, () =>
        Fixtures.reserve(bucket).pipe(within({ tenant: limits, bucket: limits }))
      )
      expectRefused(results)
      expect(accepted(results)).toBe(10)
      expect(yield* usageOf(bucket)).toMatchObject({ files: 10 })
    })
  )
}
