/**
 * Notes that a tenant or bucket has reached a limit, with the event `quota.reached`, once until it is forgotten.
 */
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { QuotaExceeded } from "@holdfast/core/Errors"
import * as ReachedLimit from "@holdfast/core/quotas/ReachedLimit"
import { lock } from "../Dialect.ts"
import { record } from "../events/RecordEvent.ts"
import * as Row from "../Row.ts"
import type { RowFault } from "../../SqlFailure.ts"
import { inTransaction, transaction } from "../../Transaction.ts"
import { used } from "../usage/UsageRow.ts"
import * as Counted from "./Counted.ts"

const ownerOf = ({ bucketId, tenantId }: Pick<ReachedLimit.ReachedLimit, "bucketId" | "tenantId">) =>
  bucketId ?? tenantId

interface Reached extends ReachedLimit.ReachedLimit {
  readonly use: number
}

/** Writes the event unless it was written before, inside a transaction. */
export const noteReached = Effect.fnUntraced(function* (sql: SqlClient, reached: Reached) {
  const { bucketId, limit, maximum, percent, tenantId, use } = reached
  const ownerId = ownerOf(reached)
  // Most requests beyond a limit find the note of the first one. They only read.
  const known = yield* sql`SELECT owner_id FROM reached_limit
    WHERE owner_id = ${ownerId} AND limit_name = ${limit} AND maximum = ${maximum} AND percent >= ${percent}`
  if (known.length > 0) return
  const noted = yield* sql`INSERT INTO reached_limit (owner_id, limit_name, tenant_id, bucket_id, percent, maximum)
    VALUES (${ownerId}, ${limit}, ${tenantId}, ${bucketId}, ${percent}, ${maximum})
    ON CONFLICT (owner_id, limit_name) DO UPDATE SET percent = excluded.percent, maximum = excluded.maximum
    WHERE reached_limit.maximum <> excluded.maximum OR reached_limit.percent < excluded.percent RETURNING owner_id`
  if (noted.length === 0) return
  const [name = null] = yield* sql`SELECT name FROM tenant WHERE id = ${tenantId}`.pipe(
    Row.all((row) => Row.text(row, "name"))
  )
  yield* record(sql, {
    tenantId,
    ...(bucketId === null ? undefined : { bucketId }),
    action: "quota.reached",
    target: { id: tenantId, name },
    detail: { owner: bucketId === null ? "tenant" : "bucket", limit, percent, maximum, use }
  })
})

/** Notes that a transaction was refused by a limit of the tenant, after it was rolled back. */
export const noteRefusal =
  (sql: SqlClient, tenantId: string) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError | RowFault, R> =>
    Effect.tapError(self, (error) => {
      if (!(error instanceof QuotaExceeded)) return Effect.void
      const { limit, maximum, use } = error.quota
      return ReachedLimit.isName(limit)
        ? transaction(sql)(noteReached(sql, { tenantId, bucketId: null, limit, percent: 100, maximum, use }))
        : Effect.void
    })

const toReached: Row.FromRow<ReachedLimit.ReachedLimit> = (row) => ({
  tenantId: Row.text(row, "tenant_id"),
  bucketId: Row.orNull(Row.text, row, "bucket_id"),
  limit: Row.oneOf(ReachedLimit.names, row, "limit_name"),
  percent: Row.int(row, "percent") === 100 ? 100 : 80,
  maximum: Row.int(row, "maximum")
})

interface Position {
  readonly after: ReachedLimit.ReachedLimit | undefined
  readonly limit: number
}

/** Lists limits that were reached, by owner and name. */
export const listReached = (sql: SqlClient, { after, limit }: Position) =>
  sql`SELECT tenant_id, bucket_id, limit_name, percent, maximum FROM reached_limit
    WHERE (owner_id, limit_name) > (${after === undefined ? "" : ownerOf(after)}, ${after?.limit ?? ""})
    ORDER BY owner_id, limit_name LIMIT ${limit}`.pipe(Row.all(toReached))

const counted = {
  buckets: Counted.buckets,
  members: Counted.members,
  tokens: Counted.tokens,
  mirrors: Counted.mirrors,
  webhooks: Counted.webhooks,
  shares: Counted.shares
}

const findUse = (sql: SqlClient, { bucketId, limit, tenantId }: ReachedLimit.ReachedLimit, now: DateTime.Utc) => {
  switch (limit) {
    case "bytes":
    case "files":
      return sql`SELECT CAST(COALESCE(SUM(${sql.literal(used[limit])}), 0) AS bigint) AS used FROM usage
        WHERE owner_id = ${bucketId ?? tenantId}`.pipe(
        Row.all((row) => Row.int(row, "used")),
        Effect.map(([use = 0]) => use)
      )
    default:
      return Counted.count(sql, counted[limit](sql, tenantId, now))
  }
}

interface Forgetting {
  readonly reached: ReachedLimit.ReachedLimit
  readonly below: number
  readonly now: DateTime.Utc
}

/** Whether the owner exists and uses at least `below`. */
const isReached = Effect.fnUntraced(function* (sql: SqlClient, { below, now, reached }: Forgetting, locking: Fragment) {
  const owner = yield* sql`SELECT id FROM ${sql(reached.bucketId === null ? "tenant" : "bucket")}
    WHERE id = ${ownerOf(reached)} ${locking}`
  return owner.length > 0 && (yield* findUse(sql, reached, now)) >= below
})

const forgetInTransaction = Effect.fnUntraced(function* (sql: SqlClient, terms: Forgetting) {
  // In the order of the grants: the owner, its shards, the note.
  if (yield* isReached(sql, terms, lock(sql, "FOR NO KEY UPDATE"))) return false
  const ownerId = ownerOf(terms.reached)
  yield* sql`SELECT shard FROM usage WHERE owner_id = ${ownerId} ORDER BY shard ${lock(sql, "FOR UPDATE")}`
  yield* sql`UPDATE usage SET files_limit = NULL, bytes_limit = NULL WHERE owner_id = ${ownerId}`
  yield* sql`DELETE FROM reached_limit WHERE owner_id = ${ownerId} AND limit_name = ${terms.reached.limit}`
  return true
}, inTransaction)

/**
 * Deletes a note when its owner uses less than `below`, or exists no more. The allowances end with it, so that a change notices when
 * the use passes the same part again. Returns whether it has deleted it. Reads before it locks: mostly the use has not fallen, a lock
 * writes to the row on PostgreSQL, and a transaction on SQLite waits for all others.
 */
export const forgetReached = (sql: SqlClient, terms: Forgetting) =>
  Effect.flatMap(isReached(sql, terms, sql.literal("")), (remains) =>
    remains ? Effect.succeed(false) : forgetInTransaction(sql, terms)
  )

/** Counts the tenants with limits that were reached, of at most `limit` such limits. */
export const countReached = (sql: SqlClient, limit: number) =>
  sql`SELECT COUNT(DISTINCT tenant_id) AS near, COUNT(DISTINCT CASE WHEN percent = 100 THEN tenant_id END) AS reached
    FROM (SELECT tenant_id, percent FROM reached_limit ORDER BY owner_id, limit_name LIMIT ${limit}) AS part`.pipe(
    Row.all((row) => ({ near: Row.int(row, "near"), reached: Row.int(row, "reached") })),
    Effect.map(([counts = { near: 0, reached: 0 }]) => counts)
  )
