/**
 * A recount of a bucket that is larger than the pages in which an adapter may read it.
 */
import { expect } from "@effect/vitest"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { UsageRepository } from "@holdfast/core/usage/UsageRepository"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { SqlClient } from "effect/sql/SqlClient"
import * as ConversionFixtures from "../conversions/internal/ConversionFixtures.ts"
import * as Fixtures from "../Fixtures.ts"
import * as Sample from "../Sample.ts"
import * as UsageDrift from "./UsageDrift.ts"

const files = 12_000
const segments = 6000
const captions = 5500
const posters = 5200

/**
 * Recounts a large bucket while files are uploaded and removed, and expects no difference. Then makes the counters wrong, and expects
 * that the recount finds by how much.
 */
export const check = Effect.gen(function* () {
  const [sql, usage, repository] = [yield* SqlClient, yield* UsageRepository, yield* FileRepository]
  const { bucket, claim } = yield* ConversionFixtures.claimed()
  const { bucketId, tenantId } = bucket
  yield* ConversionFixtures.publish(claim, ["a.m4s"])
  const numbers = (count: number) =>
    sql`WITH RECURSIVE s (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < CAST(${count} AS integer))`
  yield* sql`INSERT INTO file (id, tenant_id, bucket_id, path, name, version, metadata, headers, created_at, updated_at, size)
    ${numbers(files)} SELECT 'fil_large_' || i, ${tenantId}, ${bucketId}, '/' || (i % 3) || '/', i, 1, '{}', '[]', 0, 0, 7 FROM s`
  yield* sql`INSERT INTO blob (id, tenant_id, bucket_id, state, size, created_at)
    ${numbers(segments)} SELECT 'blb_large_' || i, ${tenantId}, ${bucketId}, 'READY', 3, 0 FROM s`
  yield* sql`INSERT INTO conversion_file (conversion_id, name, blob_id)
    ${numbers(segments)} SELECT (SELECT id FROM conversion WHERE bucket_id = ${bucketId}), 'b' || i, 'blb_large_' || i FROM s`
  yield* sql`INSERT INTO captions (id, tenant_id, bucket_id, file_id, blob_id, language, label, cues, created_at)
    ${numbers(captions)} SELECT 'cap_large_' || i, ${tenantId}, ${bucketId}, 'f', 'blb_' || (i % 400), 'de', 'D', 'ü', 0 FROM s`
  yield* sql`INSERT INTO poster (blob_id, tenant_id, bucket_id, file_id, image, updated_at)
    ${numbers(posters)} SELECT 'blb_large_' || i, ${tenantId}, ${bucketId}, 'f', 'AAAA', 0 FROM s`
  const first = yield* usage.ofBucket(bucket)
  expect(first).toMatchObject({ files: files + 1 })
  expect(first.streamBytes).toBe(5_000_000_001 + 3 * segments + 2 * captions + 3 * posters)
  const change = Effect.gen(function* () {
    const stored = yield* Fixtures.store(bucket, { path: Sample.word().startsWith("a") ? "/0/" : "/2/" })
    const selector = Fixtures.byId(stored.id)
    yield* repository.remove({ bucket, selector, condition: {}, sweepAt: Sample.at(90_000) })
    yield* Fixtures.store(bucket)
  })
  const changes = yield* Effect.forkChild(Effect.forever(change))
  for (let round = 0; round < 10; round++) expect(yield* UsageDrift.recountAll(false)).toEqual([])
  yield* Fiber.interrupt(changes)
  const exact = yield* usage.ofBucket(bucket)
  expect(exact.files).toBeGreaterThan(first.files)
  yield* sql`UPDATE usage SET files = files + 3, content_bytes = content_bytes - 4, stream_bytes = stream_bytes - 5
    WHERE owner_id = ${bucketId} AND shard = (SELECT MIN(shard) FROM usage WHERE owner_id = ${bucketId})`
  const missing = { files: -3, contentBytes: 4, streamBytes: 5, reservedBytes: 0 }
  expect((yield* UsageDrift.recountAll(true))[0]).toEqual({ owner: "bucket", ownerId: bucketId, missing })
  expect(yield* usage.ofBucket(bucket)).toEqual(exact)
})
