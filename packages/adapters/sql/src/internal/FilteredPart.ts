/**
 * Filters the first rows of a range of an index by a condition that the index does not order.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import * as Row from "./Row.ts"

export interface Options {
  /** The columns of the rows. */
  readonly columns: string
  /** The table and the conditions of the range, as after `FROM`. */
  readonly from: Fragment
  /** The columns of the order, as after `ORDER BY`. */
  readonly order: string
  /** The condition that selects rows from the range. */
  readonly condition: Fragment
  /** The most rows that are returned. */
  readonly limit: number
  /** The rows of the range that are read at most. */
  readonly budget: number
}

export interface FilteredPart {
  readonly rows: ReadonlyArray<Row.Row>
  /** The last row that was read, where it may be followed by others that satisfy the condition. */
  readonly end: Row.Row | undefined
}

/**
 * Reads the rows and the end of the part in one statement, which sees one state of the table. A second statement would find another
 * end if rows were removed in between, and the next page would pass over the rows up to it.
 */
export const read = (sql: SqlClient, { budget, columns, condition, from, limit, order }: Options) => {
  const [selected, ordered] = [sql.literal(columns), sql.literal(order)]
  const part = (bounds: Fragment) => sql`SELECT ${selected} FROM ${from} ORDER BY ${ordered} ${bounds}`
  const isShort = sql`(SELECT COUNT(*) FROM found) < ${limit}`
  // A full page needs no end. PostgreSQL evaluates the condition once, ahead of the rows, but cannot estimate a limit that is not
  // constant. SQLite would evaluate the condition after the rows.
  const end = sql.onDialectOrElse({
    pg: () => sql`SELECT ${selected} FROM (${part(sql`LIMIT 1 OFFSET ${budget - 1}`)}) AS part WHERE ${isShort}`,
    orElse: () => sql`SELECT ${selected} FROM (${part(sql`LIMIT ${isShort} OFFSET ${budget - 1}`)}) AS part`
  })
  return Effect.map(
    sql<Row.Row>`WITH found AS MATERIALIZED (
        SELECT ${selected} FROM (${part(sql`LIMIT ${budget}`)}) AS part
        WHERE ${condition} ORDER BY ${ordered} LIMIT ${limit})
      SELECT ${selected}, 0 AS is_end FROM found UNION ALL SELECT ${selected}, 1 FROM (${end}) AS part
      ORDER BY is_end, ${ordered}`,
    (all): FilteredPart => {
      const rows = all.filter((row) => Row.int(row, "is_end") === 0)
      return { rows, end: all[rows.length] }
    }
  )
}
