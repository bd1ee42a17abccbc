/**
 * Reads the rows of large tables in batches.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Row from "../Row.ts"
import type { RowFault } from "../../SqlFailure.ts"
import type { Table } from "./Catalog.ts"

export interface TableReader {
  /** Reads the next rows; fewer than the limit at the end of the table. */
  readonly next: Effect.Effect<ReadonlyArray<Record<string, unknown>>, SqlError | RowFault>
  readonly close: Effect.Effect<void, SqlError>
}

/**
 * Runs reads that all see the database as it is at one moment. On PostgreSQL one transaction of a stricter isolation level; it
 * takes no lock that a change of rows waits for, and may be idle while rows are written elsewhere. A source in SQLite has no other
 * writer.
 */
export const atOneMoment = <A, E, R>(
  sql: SqlClient,
  reads: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError, R> =>
  sql.onDialectOrElse({
    pg: () =>
      sql.withTransaction(
        sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`.pipe(
          Effect.andThen(sql`SET LOCAL idle_in_transaction_session_timeout = 0`),
          Effect.andThen(reads)
        )
      ),
    orElse: () => reads
  })

/** Returns the columns of the primary key of a table of SQLite. */
const primaryKey = (sql: SqlClient, table: string) =>
  sql`SELECT name FROM pragma_table_info(${table}) WHERE pk > 0 ORDER BY pk`.pipe(
    Row.all((row) => Row.text(row, "name"))
  )

/** Begins to read a table, inside of `atOneMoment`. PostgreSQL reads it with a cursor, SQLite by its primary key. */
export const open = (
  sql: SqlClient,
  { columns, name }: Table,
  limit: number
): Effect.Effect<TableReader, SqlError | RowFault> => {
  const selected = sql.csv(columns.map((column) => sql`${sql(column)}`))
  return sql.onDialectOrElse({
    pg: () => {
      // A name of its own: the connection keeps prepared statements, and each table has other columns.
      const cursor = sql(`copy_of_${name}`)
      return Effect.as(sql`DECLARE ${cursor} NO SCROLL CURSOR FOR SELECT ${selected} FROM ${sql(name)}`, {
        next: sql<Record<string, unknown>>`FETCH ${sql.literal(String(limit))} FROM ${cursor}`,
        close: Effect.asVoid(sql`CLOSE ${cursor}`)
      })
    },
    orElse: () =>
      Effect.map(primaryKey(sql, name), (key): TableReader => {
        const isKey = sql.csv(key.map((column) => sql`${sql(column)}`))
        let last: Row.Row | undefined
        return {
          next: Effect.map(
            Effect.suspend(() => {
              const after = last
              const isLater =
                after === undefined
                  ? sql`1 = 1`
                  : sql`(${isKey}) > (${sql.csv(key.map((column) => sql`${after[column]}`))})`
              return sql<Record<string, unknown>>`SELECT ${selected} FROM ${sql(name)} WHERE ${isLater}
                ORDER BY ${isKey} LIMIT ${limit}`
            }),
            (rows) => {
              last = rows.at(-1)
              return rows
            }
          ),
          close: Effect.void
        }
      })
  })
}
