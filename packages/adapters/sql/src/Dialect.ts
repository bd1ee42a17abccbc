/**
 * Where the two dialects differ. Everything else is written once.
 */
import * as DateTime from "effect/DateTime"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/** An instant as it is stored: epoch milliseconds. */
export const millis: (instant: DateTime.Utc) => number = DateTime.toEpochMillis

/**
 * A row lock at the end of a SELECT. SQLite needs none: its transactions begin as writers, one at a time.
 * `FOR NO KEY UPDATE` lets rows that refer to the locked one be inserted, `FOR UPDATE` does not.
 */
export const lock = (sql: SqlClient, strength: "FOR UPDATE" | "FOR NO KEY UPDATE"): Fragment =>
  sql.literal(sql.onDialectOrElse({ pg: () => strength, orElse: () => "" }))

/** `column IN (values)` as one parameter, so that the statement is the same for any number of values. */
export const among = (sql: SqlClient, column: string, values: ReadonlyArray<string>): Fragment =>
  sql.onDialectOrElse({
    pg: () => sql`${sql.literal(column)} = ANY(CAST(${values} AS text[]))`,
    orElse: () => sql`${sql.literal(column)} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`
  })

/** The function `(haystack, needle)` that gives the place of a text in another, from 1. */
export const position = (sql: SqlClient): Fragment =>
  sql.literal(sql.onDialectOrElse({ pg: () => "strpos", orElse: () => "instr" }))
