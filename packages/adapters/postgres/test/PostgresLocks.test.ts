import { expect, layer, vi } from "@effect/vitest"
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import { TenantRepository } from "@holdfast/core/tenants/TenantRepository"
import { conversions } from "@holdfast/sql/migrations/Conversions"
import { initial } from "@holdfast/sql/migrations/Initial"
import { migrate } from "@holdfast/sql/migrations/Migrate"
import { mirrors } from "@holdfast/sql/migrations/Mirrors"
import { mirrorTimes } from "@holdfast/sql/migrations/MirrorTimes"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import { requires } from "@holdfast/testing/Requires"
import * as Server from "@holdfast/testing/servers/Postgres"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import * as Postgres from "../src/Postgres.ts"
import * as Store from "./support/Store.ts"

// A server is started, which takes a busy machine longer than vitest gives by default.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const sweepAt = Sample.at(90_000)

/** Waits until another session waits for a lock. */
const untilBlocked = Effect.gen(function* () {
  const sql = yield* SqlClient
  const waiting = sql`SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
  yield* Effect.repeat(waiting, { until: (rows) => rows.length > 0 })
})

/** Runs a change that meets another one before that is committed: until it ends, or waits for a lock. */
const meet = Effect.fnUntraced(function* <A, E, R, A2, E2, R2>(
  uncommitted: Effect.Effect<A, E, R>,
  change: Effect.Effect<A2, E2, R2>
) {
  const sql = yield* SqlClient
  const gate = yield* Deferred.make<void>()
  // Forked outside of the transaction, so that they have connections of their own.
  const changing = yield* Effect.forkScoped(Effect.andThen(Deferred.await(gate), change))
  const watching = yield* Effect.forkScoped(Effect.andThen(Deferred.await(gate), untilBlocked))
  yield* uncommitted.pipe(
    Effect.andThen(Deferred.succeed(gate, undefined)),
    Effect.andThen(Effect.raceFirst(Fiber.await(changing), Fiber.await(watching))),
    sql.withTransaction
  )
  yield* Fiber.interrupt(watching)
  return changing
})

requires(Server.missing).describe("PostgreSQL", () =>
  layer(Store.layer("en_US.UTF-8", 4), { excludeTestServices: true, timeout: "1 minute" })((it) => {
    it.effect("orders text by a language, but the store's by code point", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const { collation } = yield* Server.Postgres
        expect(collation).toMatch(/en.US/)
        expect(yield* sql`SELECT 'a' < 'B' AS linguistic, 'a' < 'B' COLLATE "C" AS bytewise`).toEqual([
          { linguistic: true, bytewise: false }
        ])
      })
    )

    it.effect("a file that is being stored keeps its bucket from being removed as empty", () =>
      Effect.gen(function* () {
        const [buckets, files] = [yield* BucketRepository, yield* FileRepository]
        const bucket = yield* Fixtures.bucket()
        const file = Sample.file()
        const removal = buckets.remove({ bucket, force: false, sweepAt })
        const fiber = yield* meet(files.insert(bucket, file), removal)
        expect((yield* Effect.flip(Fiber.join(fiber)))._tag).toBe("BucketNotEmpty")
        expect(yield* files.find(bucket, Fixtures.byId(file.id))).toEqual(Option.some(file))
      })
    )

    it.effect("a bucket that is being made keeps its tenant from being removed as empty", () =>
      Effect.gen(function* () {
        const [buckets, tenants] = [yield* BucketRepository, yield* TenantRepository]
        const tenantId = yield* Fixtures.tenant
        const bucket = Sample.bucket()
        const fiber = yield* meet(buckets.create(tenantId, bucket), tenants.remove({ tenantId, force: false, sweepAt }))
        expect((yield* Effect.flip(Fiber.join(fiber)))._tag).toBe("TenantNotEmpty")
        expect(yield* buckets.find({ tenantId, bucketId: bucket.id })).toEqual(Option.some(bucket))
      })
    )

    it.effect("an upload whose lease is being renewed is not waited for, and lives", () =>
      Effect.gen(function* () {
        const blobs = yield* BlobRepository
        const bucket = yield* Fixtures.bucket()
        const [renewed, lapsed] = [
          yield* Fixtures.stage(bucket, Sample.at(-9)),
          yield* Fixtures.stage(bucket, Sample.at(-9))
        ]
        const fiber = yield* meet(blobs.renew([renewed], Sample.at(99)), blobs.expire({ before: Sample.at() }))
        expect(yield* Fiber.join(fiber)).toBe(1)
        expect((yield* Fixtures.blob(renewed))?.state).toBe("PENDING")
        expect((yield* Fixtures.blob(lapsed))?.state).toBe("DOOMED")
      })
    )

    it.effect("more transactions than connections wait for each other", () =>
      Effect.gen(function* () {
        const bucket = yield* Fixtures.bucket()
        yield* Effect.forEach(Array.from({ length: 100 }).keys(), () => Fixtures.store(bucket), {
          concurrency: "unbounded"
        })
        const stored = yield* (yield* FileRepository).list({
          bucket,
          query: { path: "/", recursive: true },
          limit: 1000
        })
        expect(stored).toHaveLength(100)
      })
    )

    it.effect("the reads of every request have connections of their own", () =>
      Effect.gen(function* () {
        const [sql, files] = [yield* SqlClient, yield* FileRepository]
        const bucket = yield* Fixtures.bucket()
        const file = yield* Fixtures.store(bucket)
        const find = files.find(bucket, Fixtures.byId(file.id))
        const end = yield* Deferred.make<void>()
        const latch = yield* Latch.make()
        let begun = 0
        const hold = sql`SELECT 1`.pipe(
          Effect.andThen(Effect.suspend(() => (++begun === 4 ? latch.open : Effect.void))),
          Effect.andThen(Deferred.await(end)),
          sql.withTransaction
        )
        const holders = yield* Effect.forEach([1, 2, 3, 4], () => Effect.forkScoped(hold))
        yield* latch.await
        expect(
          yield* Effect.all(
            Array.from({ length: 50 }, () => find),
            { concurrency: "unbounded" }
          )
        ).toEqual(Array.from({ length: 50 }, () => Option.some(file)))
        yield* Deferred.succeed(end, undefined)
        yield* Effect.forEach(holders, Fiber.join)
      })
    )

    it.effect("a read inside a transaction sees what that has written", () =>
      Effect.gen(function* () {
        const [sql, files] = [yield* SqlClient, yield* FileRepository]
        const bucket = yield* Fixtures.bucket()
        const file = Sample.file()
        const found = yield* files
          .insert(bucket, file)
          .pipe(Effect.andThen(files.find(bucket, Fixtures.byId(file.id))), sql.withTransaction)
        expect(found).toEqual(Option.some(file))
      })
    )

    it.effect("a migration takes the times of mirrors' objects out of their tags", () =>
      Effect.gen(function* () {
        const { createDatabase } = yield* Server.Postgres
        const url = yield* createDatabase
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient
          yield* Effect.all([initial, conversions, mirrors])
          yield* sql`INSERT INTO mirror_object (mirror_id, name, file_id, tag)
            VALUES ('m', 'a', 'f', 'e-3@1795283272'), ('m', 'b', 'f', 'e@'), ('m', 'c', 'f', '0x8'), ('m', 'd', 'f', NULL)`
          yield* mirrorTimes
          const rows = sql`SELECT tag, last_modified FROM mirror_object ORDER BY name`
          expect((yield* rows.values).map(([tag, time]) => [tag, time === null ? null : Number(time)])).toEqual([
            ["e-3", 1795283272],
            ["e", null],
            ["0x8", null],
            [null, null]
          ])
        }).pipe(Effect.provide(Postgres.layer({ url, maxConnections: 1 })))
      })
    )

    it.effect("of several nodes that start at once on an empty database, one migrates it", () =>
      Effect.gen(function* () {
        const { createDatabase } = yield* Server.Postgres
        const url = yield* createDatabase
        const start = () => Effect.provide(migrate, Postgres.layer({ url, maxConnections: 1 }))
        const ran = yield* Effect.forEach([1, 2, 3, 4, 5], start, { concurrency: "unbounded" })
        expect(ran.flat()).toEqual([
          { id: 1, name: "initial" },
          { id: 2, name: "conversions" },
          { id: 3, name: "mirrors" },
          { id: 4, name: "mirror_times" }
        ])
      })
    )
  })
)
