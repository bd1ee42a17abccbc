/**
 * Counts the rows that the limits of a tenant concern. Each count reads a bounded number of rows of an index.
 */
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { mostCounted } from "@holdfast/core/quotas/Quota"
import { never } from "../conversions/NextConversion.ts"
import { millis, unplannedText } from "../Dialect.ts"
import * as Row from "../Row.ts"

const most = mostCounted + 1

/** Usable tokens: two ranges of an index, whose column is null for tokens that do not expire. */
const usableTokens = (sql: SqlClient, owner: Fragment, now: DateTime.Utc): Fragment => {
  const range = (expiry: Fragment) =>
    sql`SELECT * FROM (SELECT 1 AS one FROM api_key WHERE ${owner} AND revoked_at IS NULL AND ${expiry} LIMIT ${most}) AS part`
  return sql`${range(sql`expires_at IS NULL`)} UNION ALL ${range(sql`expires_at > ${millis(now)}`)}`
}

export const buckets = (sql: SqlClient, tenantId: string): Fragment =>
  sql`SELECT 1 AS one FROM bucket WHERE tenant_id = ${unplannedText(sql, tenantId)} AND removed = 0`

export const members = (sql: SqlClient, tenantId: string): Fragment =>
  sql`SELECT 1 AS one FROM member WHERE tenant_id = ${unplannedText(sql, tenantId)}`

export const tokens = (sql: SqlClient, tenantId: string, now: DateTime.Utc): Fragment =>
  usableTokens(sql, sql`tenant_id = ${unplannedText(sql, tenantId)}`, now)

export const tokensOfMember = (sql: SqlClient, memberId: string, now: DateTime.Utc): Fragment =>
  usableTokens(sql, sql`member_id = ${unplannedText(sql, memberId)}`, now)

export const mirrors = (sql: SqlClient, tenantId: string): Fragment =>
  sql`SELECT 1 AS one FROM mirror WHERE tenant_id = ${unplannedText(sql, tenantId)} AND removed = 0`

export const webhooks = (sql: SqlClient, tenantId: string): Fragment =>
  sql`SELECT 1 AS one FROM webhook WHERE tenant_id = ${unplannedText(sql, tenantId)}`

/** Shares that have not expired: two ranges of an index, whose column is null for shares that do not expire. */
export const shares = (sql: SqlClient, tenantId: string, now: DateTime.Utc): Fragment => {
  const range = (expiry: Fragment) =>
    sql`SELECT * FROM (SELECT 1 AS one FROM share WHERE tenant_id = ${unplannedText(sql, tenantId)} AND ${expiry} LIMIT ${most}) AS part`
  return sql`${range(sql`expires_at IS NULL`)} UNION ALL ${range(sql`expires_at > ${millis(now)}`)}`
}

export const conversions = (sql: SqlClient, tenantId: string): Fragment =>
  sql`SELECT 1 AS one FROM conversion WHERE tenant_id = ${unplannedText(sql, tenantId)} AND due_at < ${never}`

/** Returns how many rows a query finds, at most one more than `mostCounted`. */
export const count = (sql: SqlClient, rows: Fragment) =>
  sql`SELECT COUNT(*) AS total FROM (SELECT one FROM (${rows}) AS found LIMIT ${most}) AS counted`.pipe(
    Row.all((row) => Row.int(row, "total")),
    Effect.map(([total = 0]) => total)
  )
