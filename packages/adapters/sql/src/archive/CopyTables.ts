/**
 * Copies all metadata from one database to another, of the same or of the other kind.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { MetadataError } from "@holdfast/core/MetadataError"
import type * as Row from "../internal/Row.ts"
import { operation } from "../SqlFailure.ts"
import { transaction } from "../Transaction.ts"
import * as Catalog from "../internal/archive/Catalog.ts"
import * as TableReader from "../internal/archive/TableReader.ts"
import * as Triggers from "../internal/archive/Triggers.ts"

/** The most parameters of an INSERT: SQLite accepts 32,766, PostgreSQL 65,535. More of them are not faster. */
const maxParameters = 10_000

const insertAll = Effect.fnUntraced(function* (from: SqlClient, to: SqlClient, table: Catalog.Table) {
  const limit = Math.floor(maxParameters / table.columns.length)
  const reader = yield* TableReader.open(from, table, limit)
  while (true) {
    const rows = yield* reader.next
    if (Arr.isReadonlyArrayNonEmpty(rows)) yield* to`INSERT INTO ${to(table.name)} ${to.insert(rows)}`
    if (rows.length < limit) return yield* reader.close
  }
})

const areEmpty = Effect.fnUntraced(function* (sql: SqlClient, tables: ReadonlyArray<Catalog.Table>) {
  for (const { name } of tables) {
    const rows: ReadonlyArray<Row.Row> = yield* sql`SELECT 1 AS one FROM ${sql(name)} LIMIT 1`
    if (rows.length > 0) return false
  }
  return true
})

/**
 * Copies the rows of all tables into a database with the same schema whose tables are empty. Reads one moment of the source,
 * which other processes may change meanwhile, and holds no lock there that delays them. Writes in one transaction: a failure
 * leaves the target empty. Excludes other writers of the target meanwhile.
 *
 * Returns false, without a change, when the target has rows.
 */
export const copyTables = ({
  from,
  to
}: {
  readonly from: SqlClient
  readonly to: SqlClient
}): Effect.Effect<boolean, MetadataError> =>
  Effect.gen(function* () {
    const tables = yield* Catalog.tables(to)
    yield* Catalog.exclude(to, tables)
    if (!(yield* areEmpty(to, tables))) return false
    yield* Triggers.without(
      to,
      tables,
      TableReader.atOneMoment(
        from,
        Effect.forEach(tables, (table) => insertAll(from, to, table), { discard: true })
      )
    )
    return true
  }).pipe(transaction(to), operation("copyTables"))

/** Returns whether the tables of a database have no rows. */
export const isEmpty = (sql: SqlClient): Effect.Effect<boolean, MetadataError> =>
  Effect.flatMap(Catalog.tables(sql), (tables) => areEmpty(sql, tables)).pipe(operation("isEmpty"))
