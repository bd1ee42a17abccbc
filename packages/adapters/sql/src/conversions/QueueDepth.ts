/**
 * How many conversions there are to do.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import type { ConversionQueueDepth } from "@holdfast/core/conversions/ConversionRepository"
import * as Row from "../Row.ts"

const toBacklog: Row.FromRow<ConversionQueueDepth> = (row) => ({
  queued: Row.int(row, "queued"),
  leased: Row.int(row, "leased")
})

/**
 * Two parts of one index: a long queue does not hide what is leased. Contents are looked up one by one: joined, PostgreSQL
 * might read all of them for a few conversions. Those that are no file's any more are never claimed, and go with it.
 */
export const backlog = (sql: SqlClient, at: number, limit: number) => {
  const part = (when: "<=" | ">") =>
    sql`SELECT * FROM (SELECT blob_id, state, due_at FROM conversion WHERE due_at ${sql.literal(when)} ${at}
      ORDER BY due_at, id LIMIT ${limit}) AS ${sql.literal(when === ">" ? "later" : "due")}`
  return sql`SELECT
      CAST(COALESCE(SUM(CASE WHEN is_leased = 1 THEN 0 ELSE 1 END), 0) AS bigint) AS queued,
      CAST(COALESCE(SUM(is_leased), 0) AS bigint) AS leased
    FROM (SELECT CASE WHEN state = 'RUNNING' AND due_at > ${at} THEN 1 ELSE 0 END AS is_leased
      FROM (${part("<=")} UNION ALL ${part(">")}) AS waiting
      WHERE (SELECT blob.state FROM blob WHERE blob.id = waiting.blob_id) = 'READY') AS current`.pipe(
    Row.first(toBacklog),
    Effect.map(Option.getOrElse((): ConversionQueueDepth => ({ queued: 0, leased: 0 })))
  )
}
