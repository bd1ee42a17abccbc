/**
 * The check of the migration `usage`, for the tests of both databases.
 */
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Sample from "../Sample.ts"

/** More buckets than one batch has. */
const buckets = 250

/**
 * Runs the migrations before `usage` on an empty database and inserts files and segments. Then runs `usage`; after each step a node
 * changes files of the first bucket. Expects that the counters are those of the rows.
 */
export const check = <E, R, E2, R2>(
  former: Effect.Effect<unknown, E, R>,
  steps: ReadonlyArray<Effect.Effect<unknown, E2, R2>>
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* former
    const tenantId = Sample.id("ten")
    const bucketIds = Array.from({ length: buckets }, () => Sample.id("bkt"))
    const [firstId = "", secondId = ""] = bucketIds
    yield* sql`INSERT INTO tenant (id, name, subdomain, created_at, updated_at) VALUES (${tenantId}, 'T', 'former', 1, 1)`
    const insert = (bucketId: string, name: string, size: number) =>
      sql`INSERT INTO file (id, tenant_id, bucket_id, path, name, version, metadata, headers, created_at, updated_at, blob_id, size)
        VALUES (${Sample.id("fil")}, ${tenantId}, ${bucketId}, '/', ${name}, 1, '{}', '[]', 1, 1, ${Sample.id("blb")}, ${size})`
    for (const [index, bucketId] of bucketIds.entries()) {
      yield* sql`INSERT INTO bucket (id, tenant_id, name, created_at, updated_at)
        VALUES (${bucketId}, ${tenantId}, ${`b${index}`}, 1, 1)`
      yield* insert(bucketId, "former", 5_000_000_000)
    }
    const [conversionId, segmentId] = [Sample.id("cnv"), Sample.id("blb")]
    yield* sql`INSERT INTO blob (id, tenant_id, bucket_id, state, size, created_at)
      VALUES (${segmentId}, ${tenantId}, ${secondId}, 'READY', 30, 1)`
    yield* sql`INSERT INTO conversion (id, tenant_id, bucket_id, file_id, blob_id, format, mode, state, progress, attempt, tries)
      VALUES (${conversionId}, ${tenantId}, ${secondId}, 'f', 'c', 'hls', 'auto', 'READY', 0, 1, 1)`
    yield* sql`INSERT INTO conversion_file (conversion_id, name, blob_id) VALUES (${conversionId}, 'a', ${segmentId})`
    for (const [index, step] of steps.entries()) {
      yield* step
      yield* insert(firstId, `added ${index}`, 7)
      yield* sql`UPDATE file SET size = size - 1000 WHERE bucket_id = ${firstId} AND name = 'former'`
    }
    const usageOf = (ownerId: string) =>
      Effect.map(
        sql`SELECT SUM(files), SUM(content_bytes), SUM(stream_bytes), SUM(reserved_bytes) FROM usage
          WHERE owner_id = ${ownerId}`.values,
        ([row]) => row?.map(Number)
      )
    const added = steps.length * (7 - 1000)
    expect(yield* usageOf(firstId)).toEqual([1 + steps.length, 5_000_000_000 + added, 0, 0])
    expect(yield* usageOf(secondId)).toEqual([1, 5_000_000_000, 30, 0])
    expect(yield* usageOf(bucketIds.at(-1) ?? "")).toEqual([1, 5_000_000_000, 0, 0])
    expect(yield* usageOf(tenantId)).toEqual([buckets + steps.length, buckets * 5_000_000_000 + added, 30, 0])
  })
