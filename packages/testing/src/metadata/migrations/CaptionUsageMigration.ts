/**
 * The check of the migration `caption_usage`, for the tests of both databases.
 */
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Sample from "../Sample.ts"

/**
 * Runs the other migrations on an empty database and inserts captions. Then runs `caption_usage`; after each step a node attaches
 * captions. Expects that the counters are those of the rows, and that captions without a bucket do not count.
 */
export const check = <E, R, E2, R2>(
  former: Effect.Effect<unknown, E, R>,
  steps: ReadonlyArray<Effect.Effect<unknown, E2, R2>>
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* former
    const tenantId = Sample.id("ten")
    const [bucketId, otherId] = [Sample.id("bkt"), Sample.id("bkt")]
    yield* sql`INSERT INTO tenant (id, name, subdomain, created_at, updated_at) VALUES (${tenantId}, 'T', 'former', 1, 1)`
    for (const id of [bucketId, otherId]) {
      yield* sql`INSERT INTO bucket (id, tenant_id, name, created_at, updated_at)
        VALUES (${id}, ${tenantId}, ${id}, 1, 1)`
    }
    const insert = (bucketId: string, cues: string) =>
      sql`INSERT INTO captions (id, tenant_id, bucket_id, file_id, blob_id, language, label, cues, created_at)
        VALUES (${Sample.id("cap")}, ${tenantId}, ${bucketId}, 'f', 'c', 'de', 'D', ${cues}, 1)`
    yield* insert(bucketId, "Grüße")
    yield* insert(otherId, "a")
    yield* insert(Sample.id("bkt"), "removed")
    for (const step of steps) {
      yield* step
      yield* insert(bucketId, "ab")
      yield* insert(Sample.id("bkt"), "removed")
    }
    const usageOf = (ownerId: string) =>
      Effect.map(
        sql`SELECT SUM(files), SUM(content_bytes), SUM(stream_bytes), SUM(reserved_bytes) FROM usage
          WHERE owner_id = ${ownerId}`.values,
        ([row]) => row?.map(Number)
      )
    const inBucket = 7 + 2 * steps.length
    expect(yield* usageOf(bucketId)).toEqual([0, 0, inBucket, 0])
    expect(yield* usageOf(otherId)).toEqual([0, 0, 1, 0])
    expect(yield* usageOf(tenantId)).toEqual([0, 0, inBucket + 1, 0])
  })
