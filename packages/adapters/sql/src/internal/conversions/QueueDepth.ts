/**
 * Counts pending conversions.
 */
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import type { ConversionQueueDepth } from "@holdfast/core/conversions/ConversionRepository"
import { millis } from "../Dialect.ts"
import * as Row from "../Row.ts"
import { isCurrent } from "./NextConversion.ts"

const toQueueDepth: Row.FromRow<ConversionQueueDepth> = (row) => ({
  queued: Row.int(row, "queued"),
  leased: Row.int(row, "leased")
})

/**
 * Counts pending conversions. Reads two parts of one index, so that a long queue does not hide the leased conversions. Looks
 * up each content by a scalar subquery: for a join, PostgreSQL might read all contents for a few conversions. Does not count
 * conversions of replaced or removed contents: no worker claims them, and they are removed with their content.
 */
export const queueDepth = (sql: SqlClient, at: DateTime.Utc, limit: number) => {
  const now = millis(at)
  const part = (when: "<=" | ">") =>
    sql`SELECT * FROM (SELECT blob_id, bucket_id, state, due_at FROM conversion WHERE due_at ${sql.literal(when)} ${now}
      ORDER BY due_at, id LIMIT ${limit}) AS ${sql.literal(when === ">" ? "later" : "due")}`
  return sql`SELECT
      CAST(COALESCE(SUM(CASE WHEN is_leased = 1 THEN 0 ELSE 1 END), 0) AS bigint) AS queued,
      CAST(COALESCE(SUM(is_leased), 0) AS bigint) AS leased
    FROM (SELECT CASE WHEN state = 'RUNNING' AND due_at > ${now} THEN 1 ELSE 0 END AS is_leased
      FROM (${part("<=")} UNION ALL ${part(">")}) AS waiting
      WHERE ${isCurrent(sql, "waiting")}) AS current`.pipe(
    Row.first(toQueueDepth),
    Effect.map(Option.getOrElse((): ConversionQueueDepth => ({ queued: 0, leased: 0 })))
  )
}
