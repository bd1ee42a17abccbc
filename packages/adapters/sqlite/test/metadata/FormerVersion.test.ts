/**
 * Opens a database with the migrations up to 60, as version 0.1.0 makes it. A change of what one of them makes reaches new databases only:
 * then the schemas differ.
 */
import { mkdirSync, readFileSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, it } from "@effect/vitest"
import { AccessRepository } from "@holdfast/core/access/AccessRepository"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { UsageRepository } from "@holdfast/core/usage/UsageRepository"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as SqliteMetadata from "../../src/SqliteMetadata.ts"
import * as Temporary from "../support/Temporary.ts"

type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

const using = <A>(file: string, use: (database: DatabaseSync) => A): Effect.Effect<A> =>
  Effect.sync(() => {
    const database = new DatabaseSync(file)
    try {
      return use(database)
    } finally {
      database.close()
    }
  })

/** The upgrade adds rows to the list of migrations. The statistics of SQLite are no data. */
const isCompared = (table: string): boolean => table !== "holdfast_migration" && !table.startsWith("sqlite_")

const tablesOf = (database: DatabaseSync): ReadonlyArray<string> =>
  database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .all()
    .map(({ name }) => String(name))

const columnsOf = (database: DatabaseSync, table: string): Rows =>
  database
    .prepare(`SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info('${table}') ORDER BY name`)
    .all()

/** The schema without the order of the columns, which depends on the order in which the migrations have run. */
const schemaOf = (database: DatabaseSync) => ({
  tables: tablesOf(database)
    .filter((table) => !table.startsWith("sqlite_"))
    .map((table) => ({
      table,
      columns: columnsOf(database, table),
      keys: database
        .prepare(`SELECT "table", "from", "to", on_delete FROM pragma_foreign_key_list('${table}') ORDER BY "from"`)
        .all()
    })),
  others: database
    .prepare("SELECT name, sql FROM sqlite_master WHERE type <> 'table' AND sql IS NOT NULL ORDER BY name")
    .all()
    .map(({ name, sql }) => `${String(name)}: ${String(sql).replaceAll(/\s+/g, " ").replaceAll("IF NOT EXISTS ", "")}`)
})

/** The rows of each table, in the columns that `columns` has. */
const rowsOf = (database: DatabaseSync, columns: ReadonlyMap<string, ReadonlyArray<string>>) =>
  [...columns].map(([table, names]) => {
    const rows: Rows = database.prepare(`SELECT ${names.join(", ")} FROM ${table}`).all()
    return { table, rows: rows.map((row) => JSON.stringify(row)).toSorted() }
  })

it.live("open: database of version 0.1.0 → the schema of a new database, all rows unchanged and found", () =>
  Effect.gen(function* () {
    const [file, other] = [yield* Temporary.file, yield* Temporary.file]
    const open = <A, E>(of: string, use: Effect.Effect<A, E, AccessRepository | FileRepository | UsageRepository>) =>
      Effect.scoped(Effect.provide(use, SqliteMetadata.layer({ file: of })))
    mkdirSync(dirname(file), { recursive: true })
    const columns = yield* using(file, (database) => {
      database.exec(readFileSync(new URL("version-0.1.0.sql", import.meta.url), "utf8"))
      return new Map(
        tablesOf(database)
          .filter(isCompared)
          .map((table) => [table, columnsOf(database, table).map(({ name }) => String(name))])
      )
    })
    const former = yield* using(file, (database) => rowsOf(database, columns))

    const ref = {
      tenantId: "ten_01a22ca0-4d01-74d9-a94e-b997cc53444c",
      bucketId: "bkt_01a22ca0-4dc6-75b0-bd7c-4fe6c458a87b"
    }
    yield* open(
      file,
      Effect.gen(function* () {
        const hello = yield* (yield* FileRepository).find(ref, Fixtures.byAlias("hello"))
        expect(Option.getOrThrow(hello)).toMatchObject({ name: "hello.txt", content: { size: 20 } })
        const token = yield* (yield* AccessRepository).findByKey({
          hash: "367bc6e139c79aae938a01d68356e9b0ab5f2f3730e65e0bc90a4e9f1726005c",
          tenantId: ref.tenantId
        })
        expect(Option.isSome(token)).toBe(true)
        const usage = yield* UsageRepository
        for (const owner of ["bucket", "tenant"] as const) {
          expect(yield* usage.recount({ owner, limit: 10, repair: false })).toMatchObject({ drifts: [] })
        }
      })
    )
    yield* open(other, Effect.void)

    expect(yield* using(file, (database) => rowsOf(database, columns))).toEqual(former)
    expect(yield* using(file, schemaOf)).toEqual(yield* using(other, schemaOf))
    expect(yield* using(file, (database) => database.prepare("PRAGMA foreign_key_check").all())).toEqual([])
  })
)
