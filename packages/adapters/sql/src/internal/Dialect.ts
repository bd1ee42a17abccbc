/**
 * The differences between the SQL of PostgreSQL and SQLite. All other SQL is the same for both.
 */
import * as DateTime from "effect/DateTime"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/** Converts an instant to the stored form: epoch milliseconds. */
export const millis: (instant: DateTime.Utc) => number = DateTime.toEpochMillis

/**
 * Returns the clause that locks the rows of a SELECT. SQLite needs none: its transactions begin as writers, one at a time.
 * `FOR NO KEY UPDATE` allows concurrent inserts of rows that refer to the locked row, `FOR UPDATE` does not. `FOR SHARE` allows
 * other readers with the same clause, and no change. `FOR KEY SHARE` excludes the removal of the row only.
 */
export const lock = (
  sql: SqlClient,
  strength: "FOR UPDATE" | "FOR NO KEY UPDATE" | "FOR SHARE" | "FOR KEY SHARE"
): Fragment => sql.literal(sql.onDialectOrElse({ pg: () => strength, orElse: () => "" }))

/** Returns the clause that locks the rows of a SELECT for a change, and skips those that another transaction has locked. */
export const skipLocked = (sql: SqlClient): Fragment =>
  sql.literal(sql.onDialectOrElse({ pg: () => "FOR UPDATE SKIP LOCKED", orElse: () => "" }))

/** Returns the type of the columns with texts. Texts are compared by code point, whatever the locale of the database is. */
export const textType = (sql: SqlClient): Fragment =>
  sql.literal(sql.onDialectOrElse({ pg: () => `text COLLATE "C"`, orElse: () => "text" }))

/**
 * Returns the number of a LIMIT without its value being known when PostgreSQL plans the statement. PostgreSQL then plans for a
 * small part of the rows, and reads them in the order of an index. With the value it plans by the number of rows that the table
 * has according to its statistics, and might read and sort all rows of a table that has grown since.
 */
export const unplanned = (sql: SqlClient, limit: number): Fragment =>
  sql.onDialectOrElse({ pg: () => sql`(SELECT CAST(${limit} AS bigint))`, orElse: () => sql`${limit}` })

/**
 * Returns a text to compare a column with, without its value being known when PostgreSQL plans the statement. PostgreSQL then expects an
 * average number of rows, and with an `unplanned` limit reads them in the order of an index that begins with the column. With the id of
 * an owner of a large part of the table it would read the table as it is stored, or in the order of the primary key, up to the first rows
 * of that owner: they may be behind those of all other owners.
 */
export const unplannedText = (sql: SqlClient, value: string): Fragment =>
  sql.onDialectOrElse({ pg: () => sql`(SELECT CAST(${value} AS text))`, orElse: () => sql`${value}` })

/** Returns `column IN (values)` with one parameter, so that the statement is the same for any number of values. */
export const among = (sql: SqlClient, column: string, values: ReadonlyArray<string>): Fragment =>
  sql.onDialectOrElse({
    pg: () => sql`${sql.literal(column)} = ANY(CAST(${values} AS text[]))`,
    orElse: () => sql`${sql.literal(column)} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`
  })

/**
 * Returns a table of texts, as after `FROM`: the rows with these columns. It has one parameter, so that the statement is the same for any
 * number of rows.
 */
export const tableOf = <Column extends string>(
  sql: SqlClient,
  {
    columns,
    name,
    rows
  }: {
    readonly name: string
    readonly columns: ReadonlyArray<Column>
    readonly rows: ReadonlyArray<{ readonly [Name in Column]: string | null }>
  }
): Fragment => {
  const listed = (toText: (column: string) => string) => sql.literal(columns.map(toText).join(", "))
  return sql.onDialectOrElse({
    pg: () =>
      sql`json_to_recordset(CAST(${JSON.stringify(rows)} AS json)) AS ${sql.literal(name)} (${listed((column) => `${column} text`)})`,
    orElse: () =>
      sql`(SELECT ${listed((column) => `value ->> '${column}' AS ${column}`)} FROM json_each(${JSON.stringify(rows)})) AS ${sql.literal(name)}`
  })
}

/** Returns the name of the function `(haystack, needle)` that finds the position of a text in another one, from 1. */
export const position = (sql: SqlClient): Fragment =>
  sql.literal(sql.onDialectOrElse({ pg: () => "strpos", orElse: () => "instr" }))
