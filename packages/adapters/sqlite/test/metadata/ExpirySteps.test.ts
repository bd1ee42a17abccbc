import { expect, layer } from "@effect/vitest"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as Statements from "@holdfast/testing/metadata/Statements"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { SqlClient } from "effect/sql/SqlClient"
import * as SqliteMetadata from "../../src/SqliteMetadata.ts"

const [buckets, blobsOfEach] = [40, 60]
const count = buckets * blobsOfEach

layer(SqliteMetadata.layer({ file: ":memory:" }))("expiry of many blobs", (it) => {
  for (const which of [{ before: Sample.at() }, "all"] as const) {
    it.effect(
      `expire ${which === "all" ? "all" : "before a time"}: ${count} blobs of ${buckets} buckets → short steps`,
      () =>
        Effect.gen(function* () {
          const [sql, blobs] = [yield* SqlClient, yield* BlobRepository]
          for (let index = 0; index < buckets; index++) {
            const { bucketId, tenantId } = yield* Fixtures.bucket()
            yield* sql`WITH RECURSIVE s (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < ${blobsOfEach})
            INSERT INTO blob (id, tenant_id, bucket_id, state, due_at, created_at)
            SELECT ${Sample.id("blb")} || i, ${tenantId}, ${bucketId}, 'PENDING', i, 0 FROM s`
          }
          const expiry = yield* Effect.forkChild(Statements.record(blobs.expire(which)))
          const pending = sql<{ left: number }>`SELECT COUNT(*) AS left FROM blob WHERE state = 'PENDING'`
          const seen: Array<number> = []
          while (expiry.pollUnsafe() === undefined) {
            seen.push(...(yield* pending).map(({ left }) => left))
            yield* Effect.yieldNow
          }
          expect(seen.some((left) => left > 0 && left < count)).toBe(true)
          expect(yield* pending).toEqual([{ left: 0 }])
          // Each blob is found once, whatever the number of the buckets.
          const statements = (yield* Fiber.join(expiry)).filter(([text]) => text.includes("'PENDING'"))
          expect(statements.length).toBeLessThan(buckets)
          for (const [text, parameters] of statements) {
            const plan = yield* sql.unsafe<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, parameters)
            expect(plan.filter(({ detail }) => /TEMP B-TREE|^SCAN blob/.test(detail))).toEqual([])
          }
        })
    )
  }
})
