import { expect, layer, vi } from "@effect/vitest"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as Statements from "@holdfast/testing/metadata/Statements"
import { requires } from "@holdfast/testing/Requires"
import * as Server from "@holdfast/testing/servers/Postgres"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as PostgresMetadata from "../src/PostgresMetadata.ts"
import * as Plans from "./support/Plans.ts"

// Starting a server takes longer on a busy machine than vitest's default timeout.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const tenants = 30

const reserve = Effect.fnUntraced(function* (bucket: BucketRef, leaseUntil = Sample.at(60_000)) {
  const blobId = yield* Fixtures.stage(bucket, leaseUntil)
  yield* (yield* BlobRepository).reserve({ bucket, blobId, bytes: 5 })
})

/** Returns how many sessions wait for a lock. */
const waiting = Effect.gen(function* () {
  const sql = yield* SqlClient
  const found = yield* sql`SELECT pid FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND datname = current_database()`
  return found.length
})

requires(Server.missing).describe("expiry of uploads on PostgreSQL", () =>
  layer(Server.layer({ locale: "C.UTF-8" }), { excludeTestServices: true, timeout: "1 minute" })((it) => {
    it.effect("expire: blobs of many buckets → each is read a few times, whatever the number of the buckets", () =>
      Effect.gen(function* () {
        const { createDatabase } = yield* Server.Postgres
        const store = PostgresMetadata.layer({ url: yield* createDatabase })
        yield* Effect.gen(function* () {
          const [sql, blobs] = [yield* SqlClient, yield* BlobRepository]
          const buckets = yield* Effect.replicateEffect(Fixtures.bucket(), tenants)
          const blobsOfEach = 500
          for (const { bucketId, tenantId } of buckets) {
            yield* sql`INSERT INTO blob (id, tenant_id, bucket_id, state, due_at, created_at)
              SELECT ${bucketId} || n, ${tenantId}, ${bucketId}, 'PENDING', n, 0
              FROM generate_series(1, CAST(${blobsOfEach} AS integer)) AS s (n)`
          }
          yield* sql`ANALYZE blob`
          const undone = <A, E, R>(self: Effect.Effect<A, E, R>) =>
            Effect.flip(sql.withTransaction(Effect.flatMap(self, (value) => Effect.fail(value))))
          const statements = (yield* undone(
            Statements.record(blobs.expire({ before: Sample.at() }))
          )) as ReadonlyArray<Statements.Statement>
          const steps = (yield* undone(Plans.executed(statements))) as ReadonlyArray<Plans.ExecutedStep>
          const read = steps.filter((step) => step["Relation Name"] === "blob")
          const rows = read.reduce((sum, step) => sum + Plans.rowsRead(step), 0)
          expect(rows).toBeGreaterThanOrEqual(tenants * blobsOfEach)
          expect(rows).toBeLessThanOrEqual(6 * tenants * blobsOfEach)
        }).pipe(Effect.provide(Layer.fresh(store)))
      })
    )

    it.effect("expire: two at the same time, for the same tenants in different orders → no deadlock", () =>
      Effect.gen(function* () {
        const { createDatabase } = yield* Server.Postgres
        const url = yield* createDatabase
        const store = PostgresMetadata.layer({ url })
        // All connections use the same shard of the counters, as two of many connections may do.
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient
          const [row] = yield* sql`SELECT current_database() AS name`
          yield* sql.unsafe(`ALTER DATABASE ${String(row?.["name"])} SET holdfast.usage_shard = '0'`)
        }).pipe(Effect.provide(Layer.fresh(store)))
        yield* Effect.gen(function* () {
          const [sql, blobs] = [yield* SqlClient, yield* BlobRepository]
          const buckets = yield* Effect.replicateEffect(Fixtures.bucket(), tenants)
          const blocked = buckets[tenants / 2] as BucketRef
          const expire = (before: number) => Effect.forkChild(blobs.expire({ before: Sample.at(before) }))
          yield* Effect.forEach(buckets, (bucket) => reserve(bucket, Sample.at(-20_000)))
          yield* Effect.forEach(buckets.toReversed(), (bucket) => reserve(bucket, Sample.at(-10_000)))
          const [held, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
          const holder = yield* reserve(blocked).pipe(
            Effect.andThen(Deferred.succeed(held, undefined)),
            Effect.andThen(Deferred.await(release)),
            sql.withTransaction,
            Effect.forkChild
          )
          yield* Deferred.await(held)
          const first = yield* expire(-15_000)
          yield* Effect.repeat(waiting, { until: (count) => count === 1 })
          const second = yield* expire(-5000)
          const isSettled = Effect.gen(function* () {
            return second.pollUnsafe() !== undefined || (yield* waiting) >= 2
          })
          yield* Effect.repeat(isSettled, { until: (settled) => settled })
          yield* Deferred.succeed(release, undefined)
          yield* Fiber.join(holder)
          expect((yield* Fiber.join(first)) + (yield* Fiber.join(second))).toBe(2 * tenants)
        }).pipe(Effect.repeat({ times: 4 }), Effect.provide(Layer.fresh(store)))
      })
    )
  })
)
