/**
 * Runs a change that lets usage grow, and fails with `QuotaExceeded` when a limit of `CurrentLimits` would be exceeded.
 *
 * Each shard of an owner with a limit has an allowance; together they are the limit. A change may stay within the allowance of its own
 * shard, so that changes do not wait for each other. Otherwise it is rolled back, allowances are moved under locks of all shards
 * (`Allowances.ts`), and the change runs again. It is refused only when the exact sum leaves no room for it.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { NotFound, QuotaExceeded } from "@holdfast/core/Errors"
import { CurrentLimits, type UsageLimits } from "@holdfast/core/usage/UsageLimits"
import { shardOfConnection } from "../migrations/UsageTriggers.ts"
import * as Row from "../Row.ts"
import type { RowFault } from "../../SqlFailure.ts"
import { transaction } from "../../Transaction.ts"
import { type Grant, grant } from "./Allowances.ts"
import { used } from "./UsageRow.ts"

/** By how much a change lets usage grow; less than zero for a change that lets it shrink. */
export interface Growth {
  readonly files: number
  readonly bytes: number
}

/** The shard of the change has not enough allowance. The transaction is rolled back. */
export class NoAllowance extends Data.TaggedError("NoAllowance")<{ readonly needed: Grant }> {}

/** Fails the transaction when a change has exceeded the allowance of its shard. Runs after the change, as the last statement. */
export type Check = (growth: Growth) => Effect.Effect<void, NoAllowance | SqlError | RowFault>

/** The limits that a change may exceed. */
const limitsOf = ({ bucketId, tenantId }: BucketRef, limits: UsageLimits, growth: Growth): ReadonlyArray<Grant> =>
  (["tenant", "bucket"] as const).flatMap((owner) =>
    (["files", "bytes"] as const).flatMap((limit) => {
      const maximum = limits[owner][limit]
      const ownerId = owner === "bucket" ? bucketId : tenantId
      return maximum === null || growth[limit] <= 0
        ? []
        : [{ tenantId, owner, ownerId, limit, maximum, needed: growth[limit] }]
    })
  )

const makeCheck =
  (sql: SqlClient, bucket: BucketRef, limits: UsageLimits): Check =>
  (growth) => {
    const grants = limitsOf(bucket, limits, growth)
    if (grants.length === 0) return Effect.void
    const shard = sql.literal(sql.onDialectOrElse({ pg: () => shardOfConnection, orElse: () => "0" }))
    return sql`SELECT owner_id, files, files_limit, files_allowance, ${sql.literal(used.bytes)} AS bytes, bytes_limit, bytes_allowance
      FROM usage WHERE owner_id IN (${bucket.bucketId}, ${bucket.tenantId}) AND shard = ${shard}`.pipe(
      Row.all((row) => ({
        ownerId: Row.text(row, "owner_id"),
        isWithin: ({ limit, maximum }: Grant) =>
          row[`${limit}_limit`] !== null &&
          Row.int(row, `${limit}_limit`) === maximum &&
          Row.int(row, limit) <= Row.int(row, `${limit}_allowance`)
      })),
      Effect.flatMap((rows) => {
        const needed = grants.find((one) => !rows.some((row) => row.ownerId === one.ownerId && row.isWithin(one)))
        return needed === undefined ? Effect.void : Effect.fail(new NoAllowance({ needed }))
      })
    )
  }

/** After a grant, the room is in the first shard. */
const useFirstShard = (sql: SqlClient) =>
  sql.onDialectOrElse({
    pg: () => Effect.asVoid(sql`SELECT set_config('holdfast.usage_shard', '0', true)`),
    orElse: () => Effect.void
  })

/**
 * Runs a change in a transaction, within the limits of the fiber. The change calls `check` at its end. Fails with `NotFound` when the
 * bucket or tenant was removed meanwhile.
 */
export const withinLimits = <A, E, R>(
  sql: SqlClient,
  bucket: BucketRef,
  change: (check: Check) => Effect.Effect<A, E | NoAllowance, R>
): Effect.Effect<A, E | NotFound | QuotaExceeded | SqlError | RowFault, R> =>
  Effect.withFiber((fiber) => {
    const run = change(makeCheck(sql, bucket, fiber.getRef(CurrentLimits)))
    type Attempt = Effect.Effect<A, E | NoAllowance | SqlError, R>
    type Result = Effect.Effect<A, E | NotFound | QuotaExceeded | SqlError | RowFault, R>
    const retried: Attempt = transaction(sql)(Effect.andThen(useFirstShard(sql), run))
    // Another change may use the room before the retry: then that one has made progress.
    const orGrant = (attempt: Attempt): Result =>
      Effect.catchIf(
        attempt,
        (error) => error instanceof NoAllowance,
        ({ needed }): Result =>
          Effect.flatMap(grant(sql, needed), (refusal) =>
            refusal === undefined ? orGrant(retried) : Effect.fail(refusal)
          )
      )
    return orGrant(transaction(sql)(run))
  })
