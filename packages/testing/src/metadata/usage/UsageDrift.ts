/**
 * Checks of `UsageRepository.recount`.
 */
import { expect } from "@effect/vitest"
import { CaptionRepository } from "@holdfast/core/captions/CaptionRepository"
import { PosterRepository } from "@holdfast/core/posters/PosterRepository"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import { type Recounted, type UsageDrift, UsageRepository } from "@holdfast/core/usage/UsageRepository"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as CaptionFixtures from "../captions/CaptionFixtures.ts"
import * as PosterFixtures from "../posters/PosterFixtures.ts"
import * as ConversionFixtures from "../conversions/internal/ConversionFixtures.ts"
import * as Fixtures from "../Fixtures.ts"

/** Recounts all buckets, then all tenants, in parts. */
export const recountAll = Effect.fnUntraced(function* (repair: boolean) {
  const usage = yield* UsageRepository
  const drifts: Array<UsageDrift> = []
  for (const owner of ["bucket", "tenant"] as const) {
    let after: string | null = ""
    while (after !== null) {
      const part: Recounted = yield* usage.recount({ owner, after, limit: 7, repair })
      drifts.push(...part.drifts)
      after = part.last
    }
  }
  return drifts
})

/** Makes the counters of a bucket and those of its tenant wrong, and expects that a recount finds and repairs them. */
export const check = Effect.gen(function* () {
  const [sql, usage] = [yield* SqlClient, yield* UsageRepository]
  const { bucket, claim, source } = yield* ConversionFixtures.claimed()
  yield* (yield* CaptionRepository).attach(CaptionFixtures.newCaptions({ bucket, source }))
  yield* (yield* PosterRepository).set(PosterFixtures.newPoster({ bucket, source }))
  yield* ConversionFixtures.publish(claim, ["a.m4s"])
  const blobId = yield* Fixtures.stage(bucket)
  yield* (yield* BlobRepository).reserve({ bucket, blobId, bytes: 9 })
  yield* Fixtures.bucket(bucket.tenantId)
  const exact = yield* usage.ofBucket(bucket)
  expect(exact).toMatchObject({ files: 1, reservedBytes: 9 })
  expect(yield* recountAll(false)).toEqual([])
  yield* sql`UPDATE usage SET files = files + 3, stream_bytes = stream_bytes - 5 WHERE owner_id = ${bucket.bucketId}
    AND shard = (SELECT MIN(shard) FROM usage WHERE owner_id = ${bucket.bucketId})`
  yield* sql`DELETE FROM usage WHERE owner_id = ${bucket.tenantId}`
  const ofBucket = {
    owner: "bucket",
    ownerId: bucket.bucketId,
    missing: { files: -3, contentBytes: 0, streamBytes: 5, reservedBytes: 0 }
  }
  expect((yield* recountAll(false))[0]).toEqual(ofBucket)
  expect(yield* usage.countDrifts(100)).toBe(2)
  expect(yield* recountAll(true)).toEqual([ofBucket, { owner: "tenant", ownerId: bucket.tenantId, missing: exact }])
  expect(yield* recountAll(true)).toEqual([])
  expect(yield* usage.countDrifts(100)).toBe(0)
  expect(yield* usage.ofBucket(bucket)).toEqual(exact)
  expect(yield* usage.ofTenant(bucket.tenantId)).toEqual(exact)
})
