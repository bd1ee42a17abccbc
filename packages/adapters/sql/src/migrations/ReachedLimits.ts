/**
 * The limits that tenants and buckets have reached, and the counters that a consistency check found wrong.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../internal/Dialect.ts"
import * as Row from "../internal/Row.ts"
import * as Migration from "./Migration.ts"

const createTables = Effect.gen(function* () {
  const sql = yield* SqlClient
  const text = textType(sql)

  // A row exists from the event `quota.reached` until the use has fallen again. `owner_id` is that of the tenant, or of the bucket
  // `bucket_id`. A row may outlive its owner until the job that looks at all rows deletes it.
  yield* sql`CREATE TABLE reached_limit (
    owner_id ${text} NOT NULL,
    limit_name ${text} NOT NULL,
    tenant_id ${text} NOT NULL,
    bucket_id ${text},
    percent bigint NOT NULL,
    maximum bigint NOT NULL,
    PRIMARY KEY (owner_id, limit_name))`

  // The tenants and buckets whose counters the last check found wrong, and did not repair.
  yield* sql`CREATE TABLE usage_drift (owner_id ${text} NOT NULL PRIMARY KEY, owner ${text} NOT NULL)`
})

/** Owners per batch. */
const batchSize = 100

/**
 * Takes the allowances back that the former version has granted: they reach up to the limits, so that no grant would notice when a use
 * passes a part of its limit.
 */
const resetAllowances = Effect.fnUntraced(function* (after: string | null) {
  const sql = yield* SqlClient
  const owners = yield* sql`SELECT DISTINCT owner_id FROM usage WHERE owner_id > ${after ?? ""}
    ORDER BY owner_id LIMIT ${batchSize}`.pipe(Row.all((row) => Row.text(row, "owner_id")))
  const last = owners.at(-1)
  if (last === undefined) return null
  // In the order in which grants lock the shards.
  yield* sql.onDialectOrElse({
    pg: () => sql`SELECT owner_id FROM usage WHERE owner_id > ${after ?? ""} AND owner_id <= ${last}
      AND (files_limit IS NOT NULL OR bytes_limit IS NOT NULL) ORDER BY owner_id, shard FOR UPDATE`,
    orElse: () => Effect.void
  })
  yield* sql`UPDATE usage SET files_limit = NULL, bytes_limit = NULL WHERE owner_id > ${after ?? ""} AND owner_id <= ${last}
    AND (files_limit IS NOT NULL OR bytes_limit IS NOT NULL)`
  return owners.length < batchSize ? null : last
})

export const reachedLimits: ReadonlyArray<Migration.Step> = [
  Migration.change(createTables),
  Migration.batches(resetAllowances)
]
