import { expect, layer, vi } from "@effect/vitest"
import { captionUsage } from "@holdfast/sql/migrations/CaptionUsage"
import { conversions } from "@holdfast/sql/migrations/Conversions"
import { initial } from "@holdfast/sql/migrations/Initial"
import { migrate, runMissing } from "@holdfast/sql/migrations/Migrate"
import * as Migration from "@holdfast/sql/migrations/Migration"
import { migrations } from "@holdfast/sql/migrations/MigrationList"
import { mirrors } from "@holdfast/sql/migrations/mirrors/Mirrors"
import { mirrorTimes } from "@holdfast/sql/migrations/mirrors/MirrorTimes"
import { usage } from "@holdfast/sql/migrations/Usage"
import * as CaptionUsageMigration from "@holdfast/testing/metadata/migrations/CaptionUsageMigration"
import * as CreatorsMigration from "@holdfast/testing/metadata/migrations/CreatorsMigration"
import { migrationContract } from "@holdfast/testing/metadata/migrations/MigrationContract"
import * as UsageMigration from "@holdfast/testing/metadata/migrations/UsageMigration"
import * as MirrorTimesMigration from "@holdfast/testing/metadata/migrations/MirrorTimesMigration"
import { requires } from "@holdfast/testing/Requires"
import * as Server from "@holdfast/testing/servers/Postgres"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import * as Postgres from "../src/Postgres.ts"
import * as PostgresMetadata from "../src/PostgresMetadata.ts"

// Starting a server takes longer on a busy machine than vitest's default timeout.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const connect = (url: Redacted.Redacted) => Postgres.layer({ url, maxConnections: 1 })

const run = (statement: string) => Effect.flatMap(SqlClient, (sql) => sql.unsafe(statement))

/** Runs a reader of a table that does not end before the latch opens, as `pg_dump` does. Returns its fiber once it reads. */
const startReader = Effect.fnUntraced(function* (url: Redacted.Redacted, table: string, end: Latch.Latch) {
  const hasBegun = yield* Latch.make()
  const read = Effect.gen(function* () {
    const sql = yield* SqlClient
    const transaction = sql
      .unsafe(`LOCK TABLE ${table} IN ACCESS SHARE MODE`)
      .pipe(Effect.andThen(hasBegun.open), Effect.andThen(end.await), sql.withTransaction)
    yield* transaction
  })
  const fiber = yield* Effect.forkScoped(Effect.provide(read, connect(url)))
  yield* hasBegun.await
  return fiber
})

requires(Server.missing).describe("migrations on PostgreSQL", () =>
  layer(Server.layer({ locale: "C.UTF-8" }), { excludeTestServices: true, timeout: "1 minute" })((it) => {
    const emptyDatabase = Effect.flatMap(Server.Postgres, ({ createDatabase }) => createDatabase)

    const emptyClient = Effect.map(emptyDatabase, connect)
    migrationContract((title, test) => it.effect(title, () => test), emptyClient, {
      batches: Migration.batches,
      change: Migration.change,
      index: Migration.index,
      runMissing
    })

    it.effect("migrate: mirror_times → times moved from the tags to their own column", () =>
      Effect.gen(function* () {
        const former = Effect.all([initial, conversions, mirrors])
        yield* MirrorTimesMigration.check(former, Migration.runAll(mirrorTimes)).pipe(
          Effect.provide(connect(yield* emptyDatabase))
        )
      })
    )

    it.effect("migrate: usage, files change meanwhile → counters are those of the rows", () =>
      Effect.gen(function* () {
        const former = runMissing(migrations.filter(({ id }) => id < 15))
        const steps = usage.map((step) => Migration.runAll([step]))
        yield* UsageMigration.check(former, steps).pipe(Effect.provide(connect(yield* emptyDatabase)))
      })
    )

    it.effect("migrate: caption_usage, captions are attached meanwhile → counters are those of the rows", () =>
      Effect.gen(function* () {
        const former = runMissing(migrations.filter(({ name }) => name !== "caption_usage"))
        const steps = captionUsage.map((step) => Migration.runAll([step]))
        yield* CaptionUsageMigration.check(former, steps).pipe(Effect.provide(connect(yield* emptyDatabase)))
      })
    )

    it.effect("migrate: creators → former tokens have no creator, former members are ACTIVE", () =>
      Effect.gen(function* () {
        const url = yield* emptyDatabase
        const former = runMissing(migrations.filter(({ id }) => id <= 4))
        yield* CreatorsMigration.check(former, connect(url), PostgresMetadata.layer({ url }))
      })
    )

    it.effect.each(["SQL_ASCII", "LATIN1"])(
      "migrate: database in the encoding %s → Incompatible, no table",
      (encoding) =>
        Effect.gen(function* () {
          const url = Redacted.value(yield* emptyDatabase)
          const name = encoding.toLowerCase()
          yield* run(`CREATE DATABASE ${name} ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`).pipe(
            Effect.provide(connect(Redacted.make(url)))
          )
          const other = connect(Redacted.make(url.replace(/[^/]+$/, name)))
          expect(yield* Effect.flip(Effect.provide(migrate, other))).toMatchObject({
            reason: "Incompatible",
            message: expect.stringContaining(`The database has the encoding ${encoding}, and Holdfast needs UTF8.`)
          })
          const tables = run("SELECT FROM information_schema.tables WHERE table_schema = 'public'")
          expect(yield* Effect.provide(tables, other)).toEqual([])
        })
    )

    it.effect("migrate: five nodes at the same time on an empty database → each migration runs once", () =>
      Effect.gen(function* () {
        const url = yield* emptyDatabase
        const start = () => Effect.provide(migrate, connect(url))
        const ran = yield* Effect.forEach([1, 2, 3, 4, 5], start, { concurrency: "unbounded" })
        expect(ran.flat()).toEqual(migrations.map(({ id, name }) => ({ id, name })))
      })
    )

    it.effect("migrate: the database or role has a statement timeout → migrations that take longer run", () =>
      Effect.gen(function* () {
        const url = yield* emptyDatabase
        const name = new URL(Redacted.value(url)).pathname.slice(1)
        yield* Effect.provide(run(`ALTER DATABASE ${name} SET statement_timeout = '500ms'`), connect(url))
        const slow = { id: 1, name: "slow", steps: [Migration.change(run("SELECT pg_sleep(0.7)"))] }
        const unlimited = Postgres.layer({ url, maxConnections: 1, statementTimeout: "none" })
        expect(yield* Effect.provide(runMissing([slow]), unlimited)).toEqual([{ id: 1, name: "slow" }])
        const further = { ...slow, id: 2 }
        const pooled = Postgres.layer({ url, maxConnections: 1, prepare: false })
        expect(yield* Effect.provide(runMissing([slow, further]), pooled)).toEqual([{ id: 2, name: "slow" }])
        const [limited] = yield* Effect.provide(
          Effect.flatMap(SqlClient, (sql) => sql`SELECT current_setting('statement_timeout') AS timeout`),
          connect(url)
        )
        expect(limited).toEqual({ timeout: "500ms" })
      })
    )

    it.effect(
      "migrate: waits for another node for longer than the statement timeout → runs once that node has ended",
      () =>
        Effect.gen(function* () {
          const url = yield* emptyDatabase
          const [hasBegun, end] = [yield* Latch.make(), yield* Latch.make()]
          const other = Effect.flatMap(SqlClient, (sql) =>
            sql`SELECT pg_advisory_xact_lock(hashtextextended('holdfast_migration', 0))`.pipe(
              Effect.andThen(hasBegun.open),
              Effect.andThen(end.await),
              sql.withTransaction
            )
          )
          const holder = yield* Effect.forkScoped(Effect.provide(other, connect(url)))
          yield* hasBegun.await
          const store = PostgresMetadata.layer({ url, statementTimeout: "2 seconds" })
          const starting = yield* Effect.forkScoped(Layer.build(store))
          const isWaiting = run(`SELECT 1 FROM pg_stat_activity WHERE wait_event = 'advisory'
          AND datname = current_database() AND query_start < clock_timestamp() - interval '3 seconds'`)
          yield* Effect.provide(Effect.repeat(isWaiting, { until: (rows) => rows.length === 1 }), connect(url))
          yield* end.open
          yield* Fiber.join(holder)
          yield* Fiber.join(starting)
        })
    )

    it.effect("migrate: schema is current, a backup runs → returns without waiting for the backup", () =>
      Effect.gen(function* () {
        const url = yield* emptyDatabase
        yield* Effect.provide(migrate, connect(url))
        const end = yield* Latch.make()
        const reader = yield* startReader(url, "holdfast_migration, file", end)
        expect(yield* Effect.provide(migrate, connect(url))).toEqual([])
        yield* end.open
        yield* Fiber.join(reader)
      })
    )

    it.effect(
      "migrate: table with rows and without statistics, as after a restore → analysed once, others are not",
      () =>
        Effect.gen(function* () {
          const url = yield* emptyDatabase
          yield* Effect.provide(migrate, connect(url))
          yield* Effect.gen(function* () {
            const sql = yield* SqlClient
            const analysed = sql`SELECT DISTINCT tablename FROM pg_stats WHERE schemaname = 'public'`
            const count = sql`SELECT CAST(analyze_count AS integer) AS analyze_count FROM pg_stat_user_tables WHERE relname = 'blob'`
            yield* sql`INSERT INTO blob (id, tenant_id, bucket_id, state, created_at)
            SELECT 'blb_' || i, 't', 'b', 'READY', 0 FROM generate_series(1, 1000) AS s (i)`
            expect(yield* analysed).toEqual([])
            yield* Effect.provide(migrate, connect(url))
            expect(yield* analysed).toEqual([{ tablename: "blob" }])
            yield* Effect.repeat(count, { until: ([row]) => Number(row?.analyze_count) === 1 })
            yield* Effect.provide(migrate, connect(url))
            yield* sql`SELECT pg_stat_clear_snapshot()`
            expect((yield* count)[0]).toMatchObject({ analyze_count: 1 })
          }).pipe(Effect.provide(connect(url)))
        })
    )

    it.effect(
      "migrate: a reader blocks a change of the schema → other statements run, the change follows the reader",
      () =>
        Effect.gen(function* () {
          const url = yield* emptyDatabase
          const first = { id: 1, name: "first", steps: [Migration.change(run("CREATE TABLE t (i integer)"))] }
          const second = { id: 2, name: "second", steps: [Migration.change(run("ALTER TABLE t ADD COLUMN n integer"))] }
          yield* Effect.provide(runMissing([first]), connect(url))
          const end = yield* Latch.make()
          const reader = yield* startReader(url, "t", end)
          const migrating = yield* Effect.forkScoped(Effect.provide(runMissing([first, second]), connect(url)))
          yield* Effect.gen(function* () {
            const sql = yield* SqlClient
            const waiting = sql`SELECT pid FROM pg_stat_activity
            WHERE wait_event_type = 'Lock' AND datname = current_database()`
            yield* Effect.repeat(waiting, { until: (rows) => rows.length > 0 })
            // Behind the waiting change; it gives up its place in the queue.
            expect(yield* sql`SELECT i FROM t`).toEqual([])
            yield* end.open
            yield* Fiber.join(reader)
            expect(yield* Fiber.join(migrating)).toEqual([{ id: 2, name: "second" }])
            expect(yield* sql`SELECT n FROM t`).toEqual([])
          }).pipe(Effect.provide(connect(url)))
        })
    )
  })
)
