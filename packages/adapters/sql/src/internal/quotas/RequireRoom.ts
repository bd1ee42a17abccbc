/**
 * Compares what a tenant has with its quota, in the transaction that creates one more.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { QuotaExceeded } from "@holdfast/core/Errors"
import { CurrentQuota } from "@holdfast/core/quotas/CurrentQuota"
import { isName, nearFrom } from "@holdfast/core/quotas/ReachedLimit"
import type { Quota } from "@holdfast/core/Settings"
import { lock } from "../Dialect.ts"
import type { RowFault } from "../../SqlFailure.ts"
import * as Counted from "./Counted.ts"
import { noteReached } from "./ReachedLimits.ts"

interface Needed {
  readonly limit: keyof Quota
  /** Null for no limit. */
  readonly maximum: number | null
  /** The rows that the limit counts. */
  readonly rows: Fragment
}

/**
 * Fails with `QuotaExceeded` unless `CurrentQuota` leaves room for one more row of each kind. Locks the tenant: transactions that
 * create rows of the tenant run one after the other, so that each counts those of the others. Apply `noteRefusal` to the transaction.
 */
export const requireRoom = (
  sql: SqlClient,
  tenantId: string,
  needs: (quota: Quota) => ReadonlyArray<Needed>
): Effect.Effect<void, QuotaExceeded | SqlError | RowFault> =>
  Effect.flatMap(CurrentQuota, (quota) => {
    const limited = (quota === undefined ? [] : needs(quota)).filter(({ maximum }) => maximum !== null)
    if (limited.length === 0) return Effect.void
    const check = Effect.fnUntraced(function* ({ limit, maximum, rows }: Needed) {
      if (maximum === null) return
      const found = yield* Counted.count(sql, rows)
      if (found >= maximum) {
        return yield* new QuotaExceeded({ quota: { owner: "tenant", limit, maximum, use: found } })
      }
      const use = found + 1
      if (isName(limit) && use >= nearFrom(maximum)) {
        yield* noteReached(sql, { tenantId, bucketId: null, limit, percent: 80, maximum, use })
      }
    })
    return Effect.andThen(
      sql`SELECT id FROM tenant WHERE id = ${tenantId} ${lock(sql, "FOR NO KEY UPDATE")}`,
      Effect.forEach(limited, check, { discard: true })
    )
  })
