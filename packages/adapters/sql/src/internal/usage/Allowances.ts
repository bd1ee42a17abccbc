/**
 * Moves allowances between the shards of an owner.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { NotFound, QuotaExceeded } from "@holdfast/core/Errors"
import { nearFrom } from "@holdfast/core/quotas/ReachedLimit"
import { lock } from "../Dialect.ts"
import { shards } from "../migrations/UsageTriggers.ts"
import { noteReached } from "../quotas/ReachedLimits.ts"
import * as Row from "../Row.ts"
import { inTransaction } from "../../Transaction.ts"
import { used } from "./UsageRow.ts"

/** What a change needs of a limit. */
export interface Grant {
  readonly tenantId: string
  readonly owner: "tenant" | "bucket"
  readonly ownerId: string
  readonly limit: "files" | "bytes"
  readonly maximum: number
  readonly needed: number
}

/** Adds the shards that an owner lacks. */
const addShards = (sql: SqlClient, ownerId: string) =>
  sql`INSERT INTO usage (owner_id, shard) ${sql.onDialectOrElse({
    pg: () => sql`SELECT ${ownerId}, shard FROM generate_series(0, ${sql.literal(String(shards - 1))}) AS s (shard)`,
    orElse: () => sql`VALUES (${ownerId}, 0)`
  })} ON CONFLICT (owner_id, shard) DO NOTHING`

/**
 * Divides what a limit leaves among the shards, so that the first one has as much as a change needs. Returns why not when the limit
 * leaves less.
 *
 * Until the use is near the limit, only what is left up to there is divided: the change that passes it needs a grant, which notes it.
 *
 * It has a transaction of its own, which locks one owner: a transaction that had locks of another owner might wait for one that waits
 * for it. The lock of the owner's row keeps it from being removed, and other grants from locking the shards at the same time.
 */
export const grant = Effect.fnUntraced(function* (
  sql: SqlClient,
  { limit, maximum, needed, owner, ownerId, tenantId }: Grant
) {
  const found = yield* sql`SELECT id FROM ${sql(owner)} WHERE id = ${ownerId} ${lock(sql, "FOR NO KEY UPDATE")}`
  if (found.length === 0) return yield* new NotFound({ resource: owner })
  yield* addShards(sql, ownerId)
  const inUse = yield* sql`SELECT ${sql.literal(used[limit])} AS used FROM usage WHERE owner_id = ${ownerId}
      ORDER BY shard ${lock(sql, "FOR UPDATE")}`.pipe(Row.all((row) => Row.int(row, "used")))
  const use = inUse.reduce((sum, one) => sum + one, 0)
  const near = nearFrom(maximum)
  const reached = { tenantId, bucketId: owner === "bucket" ? ownerId : null, limit, maximum, use: use + needed }
  if (use + needed > maximum) {
    yield* noteReached(sql, { ...reached, percent: 100, use })
    return new QuotaExceeded({ quota: { owner, limit, maximum, use } })
  }
  if (use + needed >= near) yield* noteReached(sql, { ...reached, percent: 80 })
  const room = (use + needed < near ? near - 1 : maximum) - use
  // Far from the limit each shard gets the same. Near it the first shard gets everything.
  const equal = Math.floor(room / inUse.length)
  const share = equal >= needed ? equal : 0
  const first = room - share * (inUse.length - 1)
  yield* sql`UPDATE usage SET ${sql.literal(`${limit}_limit`)} = ${maximum},
      ${sql.literal(`${limit}_allowance`)} = ${sql.literal(used[limit])}
      + CAST(CASE shard WHEN 0 THEN ${first} ELSE ${share} END AS bigint) WHERE owner_id = ${ownerId}`
  return undefined
}, inTransaction)
