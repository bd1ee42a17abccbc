/**
 * Sums of rows of `usage`.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Usage } from "@holdfast/core/usage/Usage"
import * as Row from "../Row.ts"

/** The counters, as the columns of `usage` and of each statement that computes them. */
export const counters = ["files", "content_bytes", "stream_bytes", "reserved_bytes"] as const

/** What a limit compares, of one row. */
export const used = { files: "files", bytes: "content_bytes + stream_bytes + reserved_bytes" } as const

/** The columns of a SELECT that adds up the rows of an owner. PostgreSQL adds up `bigint` values to a `numeric`. */
export const sums = (sql: SqlClient): Fragment =>
  sql.literal(counters.map((name) => `CAST(COALESCE(SUM(usage.${name}), 0) AS bigint) AS ${name}`).join(", "))

export const toUsage: Row.FromRow<Usage> = (row) => ({
  files: Row.int(row, "files"),
  contentBytes: Row.int(row, "content_bytes"),
  streamBytes: Row.int(row, "stream_bytes"),
  reservedBytes: Row.int(row, "reserved_bytes")
})
