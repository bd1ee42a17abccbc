import { statSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { asBackgroundWork } from "@holdfast/core/BackgroundWork"
import { captionUsage } from "@holdfast/sql/migrations/CaptionUsage"
import { conversions } from "@holdfast/sql/migrations/Conversions"
import { initial } from "@holdfast/sql/migrations/Initial"
import { migrate, runMissing } from "@holdfast/sql/migrations/Migrate"
import * as Migration from "@holdfast/sql/migrations/Migration"
import { migrations } from "@holdfast/sql/migrations/MigrationList"
import { mirrors } from "@holdfast/sql/migrations/mirrors/Mirrors"
import { mirrorTimes } from "@holdfast/sql/migrations/mirrors/MirrorTimes"
import { usage } from "@holdfast/sql/migrations/Usage"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as Sample from "@holdfast/testing/metadata/Sample"
import { migrationContract } from "@holdfast/testing/metadata/migrations/MigrationContract"
import * as CaptionUsageMigration from "@holdfast/testing/metadata/migrations/CaptionUsageMigration"
import * as CreatorsMigration from "@holdfast/testing/metadata/migrations/CreatorsMigration"
import * as UsageMigration from "@holdfast/testing/metadata/migrations/UsageMigration"
import * as MirrorTimesMigration from "@holdfast/testing/metadata/migrations/MirrorTimesMigration"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { AccessRepository } from "@holdfast/core/access/AccessRepository"
import { TokenRepository } from "@holdfast/core/tokens/TokenRepository"
import { TenantRepository } from "@holdfast/core/tenants/TenantRepository"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Reactivity from "effect/reactivity/Reactivity"
import { SqlClient } from "effect/sql/SqlClient"
import * as Stream from "effect/Stream"
import * as Sqlite from "../src/Sqlite.ts"
import * as SqliteMetadata from "../src/SqliteMetadata.ts"
import * as Temporary from "./support/Temporary.ts"

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

describe("Sqlite", () => {
  migrationContract((title, test) => it.live(title, () => test), Effect.succeed(Sqlite.layer({ file: ":memory:" })), {
    batches: Migration.batches,
    change: Migration.change,
    index: Migration.index,
    runMissing
  })

  it.live("migrate: new database → all migrations; again → none", () =>
    Effect.gen(function* () {
      const file = yield* Temporary.file
      const open = migrate.pipe(Effect.provide(Sqlite.layer({ file })))
      expect(yield* open).toEqual(migrations.map(({ id, name }) => ({ id, name })))
      expect(yield* open).toEqual([])
    })
  )

  it.live("migrate: mirror_times → times moved from the tags to their own column", () =>
    MirrorTimesMigration.check(Effect.all([initial, conversions, mirrors]), Migration.runAll(mirrorTimes)).pipe(
      Effect.provide(Sqlite.layer({ file: ":memory:" }))
    )
  )

  it.live("migrate: usage, files change meanwhile → counters are those of the rows", () =>
    UsageMigration.check(
      runMissing(migrations.filter(({ id }) => id < 15)),
      usage.map((step) => Migration.runAll([step]))
    ).pipe(Effect.provide(Sqlite.layer({ file: ":memory:" })))
  )

  it.live("migrate: caption_usage, captions are attached meanwhile → counters are those of the rows", () =>
    CaptionUsageMigration.check(
      runMissing(migrations.filter(({ name }) => name !== "caption_usage")),
      captionUsage.map((step) => Migration.runAll([step]))
    ).pipe(Effect.provide(Sqlite.layer({ file: ":memory:" })))
  )

  it.live("migrate: creators → former tokens have no creator, former members are ACTIVE", () =>
    Effect.gen(function* () {
      const file = yield* Temporary.file
      const former = runMissing(migrations.filter(({ id }) => id <= 4))
      yield* CreatorsMigration.check(former, Sqlite.layer({ file }), SqliteMetadata.layer({ file }))
    })
  )

  it.live("token with a scope: statement of a former version, which ignores scopes → does not find it", () =>
    Effect.gen(function* () {
      const file = yield* Temporary.file
      const hash = Sample.hash()
      yield* Effect.gen(function* () {
        const tenantId = yield* Fixtures.tenant
        const member = yield* Fixtures.member(tenantId)
        const token = { ...Sample.token(member.id), scope: { permissions: ["file:read"] as const } }
        yield* (yield* TokenRepository).create({ tenantId, token, hash })
        expect((yield* (yield* AccessRepository).findByKey({ hash, tenantId }))._tag).toBe("Some")
      }).pipe(Effect.provide(SqliteMetadata.layer({ file })))
      const found = Effect.flatMap(SqlClient, (sql) => sql`SELECT id FROM api_key WHERE hash = ${hash}`)
      expect(yield* Effect.provide(found, Sqlite.layer({ file }))).toEqual([])
    })
  )

  it.live("SELECT *: another client changes the table → rows with the new columns", () =>
    Effect.gen(function* () {
      const file = yield* Temporary.file
      const [sql, other] = [yield* Sqlite.make({ file }), yield* Sqlite.make({ file })]
      yield* sql`CREATE TABLE t (a TEXT, b INTEGER, c TEXT)`
      yield* sql`INSERT INTO t VALUES ('x', 1, NULL)`
      const all = sql`SELECT * FROM t`
      const named = sql`SELECT c, a AS name, count(*) AS count FROM t GROUP BY a`
      expect(yield* all).toEqual([{ a: "x", b: 1, c: null }])
      expect(yield* named).toEqual([{ c: null, name: "x", count: 1 }])
      yield* other`ALTER TABLE t DROP COLUMN b`
      yield* other`ALTER TABLE t ADD COLUMN d TEXT DEFAULT 'y'`
      expect(yield* all).toEqual([{ a: "x", c: null, d: "y" }])
      expect(yield* named).toEqual([{ c: null, name: "x", count: 1 }])
      expect(yield* named.values).toEqual([[null, "x", 1]])
      expect(yield* sql`UPDATE t SET c = ${"z"} RETURNING a, c`).toEqual([{ a: "x", c: "z" }])
      expect(yield* sql`DELETE FROM t`).toEqual([])
    }).pipe(Effect.provide(Reactivity.layer))
  )

  it.live("open: file of an earlier store → its records", () =>
    Effect.gen(function* () {
      const file = yield* Temporary.file
      const metadata = SqliteMetadata.layer({ file })
      const { bucket, stored } = yield* Effect.gen(function* () {
        const made = yield* Fixtures.bucket()
        return { bucket: made, stored: yield* Fixtures.store(made) }
      }).pipe(Effect.provide(metadata))
      const found = yield* Effect.flatMap(FileRepository, (files) => files.find(bucket, Fixtures.byId(stored.id))).pipe(
        Effect.provide(metadata)
      )
      expect(found).toEqual(Option.some(stored))
    })
  )

  it.live("layer: two stores in one program → separate", () =>
    Effect.gen(function* () {
      const [first, second] = [SqliteMetadata.layer({ file: ":memory:" }), SqliteMetadata.layer({ file: ":memory:" })]
      yield* Effect.gen(function* () {
        const tenantId = yield* Fixtures.tenant
        const find = Effect.flatMap(TenantRepository, (tenants) => tenants.find(tenantId))
        expect(Option.isSome(yield* find)).toBe(true)
        expect(yield* Effect.provide(find, first)).toEqual(yield* find)
        expect(yield* Effect.provide(find, second)).toEqual(Option.none())
      }).pipe(Effect.provide(first))
    })
  )

  it.live("open: new file → mode 0600 for the file and its log, 0700 for the directory", () =>
    Effect.gen(function* () {
      const file = yield* Temporary.file
      yield* Effect.gen(function* () {
        yield* Fixtures.tenant
        expect([file, `${file}-wal`, `${file}-shm`].map(modeOf)).toEqual(["600", "600", "600"])
        expect(modeOf(dirname(file))).toBe("700")
      }).pipe(Effect.provide(SqliteMetadata.layer({ file })))
    })
  )

  it.live("open: WAL and foreign keys on; synchronous NORMAL, no checkpoint inside of a commit", () =>
    Effect.gen(function* () {
      const file = yield* Temporary.file
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient
        expect(yield* sql`PRAGMA journal_mode`.values).toEqual([["wal"]])
        expect(yield* sql`PRAGMA synchronous`.values).toEqual([[1]])
        expect(yield* asBackgroundWork(sql`PRAGMA synchronous`.values)).toEqual([[1]])
        expect(yield* sql`PRAGMA wal_autocheckpoint`.values).toEqual([[0]])
        expect(yield* sql`PRAGMA foreign_keys`.values).toEqual([[1]])
      }).pipe(Effect.provide(Sqlite.layer({ file })))
    })
  )

  it.live("open: file is not a database or cannot be created → MetadataError of operation open", () =>
    Effect.gen(function* () {
      const file = yield* Temporary.file
      const open = (path: string) =>
        Effect.flip(Effect.scoped(Effect.provide(Fixtures.tenant, SqliteMetadata.layer({ file: path }))))
      yield* Effect.provide(Fixtures.tenant, SqliteMetadata.layer({ file }))
      yield* Effect.sync(() => writeFileSync(`${file}.txt`, "not a database ".repeat(1000)))
      expect(yield* open(`${file}.txt`)).toMatchObject({
        _tag: "MetadataError",
        operation: "open",
        reason: "Internal",
        message: "The database cannot be opened: file is not a database"
      })
      expect(yield* open(`${file}/below`)).toMatchObject({ _tag: "MetadataError", operation: "open" })
    })
  )

  it.live("statements: rows, values, raw, unprepared and stream → the same data; symbol parameter → SqlError", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql`CREATE TABLE t (a integer PRIMARY KEY, b integer, c blob)`
      yield* sql`INSERT INTO t ${sql.insert({ a: 1, b: 7, c: new Uint8Array([1, 2]) })}`
      yield* sql`INSERT INTO t ${sql.insert({ a: 2n, b: true, c: null })}`
      const rows = [
        { a: 1, b: 7, c: new Uint8Array([1, 2]) },
        { a: 2, b: 1, c: null }
      ]
      const all = sql`SELECT a, b, c FROM t ORDER BY a`
      expect(yield* all).toEqual(rows)
      expect(yield* all.unprepared).toEqual(rows)
      expect(yield* all.values).toEqual(rows.map((row) => Object.values(row)))
      expect(yield* sql`DELETE FROM t WHERE a = 9`.raw).toMatchObject({ changes: 0 })
      expect(yield* sql`DELETE FROM t WHERE a = 9`.values).toEqual([])
      const many = sql`WITH RECURSIVE s (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 1000) SELECT i FROM s`
      const streamed = yield* Stream.runCollect(many.stream)
      expect(streamed.map(({ i }) => i)).toEqual(Array.from({ length: 1000 }, (_, index) => index + 1))
      const symbol = yield* Effect.flip(sql`SELECT ${Symbol("x")}`)
      expect(symbol._tag).toBe("SqlError")
    }).pipe(Effect.provide(Sqlite.layer({ file: ":memory:" })))
  )
})
