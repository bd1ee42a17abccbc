/**
 * The UsageRepository in SQL. Triggers keep the counters (`UsageTriggers.ts`).
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { NotFound } from "@holdfast/core/Errors"
import type { Usage } from "@holdfast/core/usage/Usage"
import { UsageRepository } from "@holdfast/core/usage/UsageRepository"
import * as Row from "../Row.ts"
import { operation } from "../../SqlFailure.ts"
import { isOpenBucket, isOpenTenant } from "../buckets/OpenBucket.ts"
import { transaction } from "../../Transaction.ts"
import { findDrift, findDriftInPages, repairDrift } from "./Drift.ts"
import { countDrifts, noteDrifts } from "./DriftNotes.ts"
import { sums, toUsage } from "./UsageRow.ts"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const orNotFound = (resource: "tenant" | "bucket") =>
    Effect.flatMap((found: ReadonlyArray<Usage>): Effect.Effect<Usage, NotFound> =>
      found[0] === undefined ? Effect.fail(new NotFound({ resource })) : Effect.succeed(found[0])
    )

  /** Outside of a transaction SQLite reads on another thread: its one statement, however long, holds no lock and delays no request. */
  const find = (owner: "tenant" | "bucket", range: { readonly after: string; readonly limit: number }) =>
    sql.onDialectOrElse({
      pg: () => (owner === "bucket" ? findDriftInPages(sql, range) : findDrift(sql, owner, range)),
      orElse: () => findDrift(sql, owner, range)
    })

  return UsageRepository.of({
    ofTenant: (tenantId) =>
      sql`SELECT ${sums(sql)} FROM tenant LEFT JOIN usage ON usage.owner_id = tenant.id
        WHERE ${isOpenTenant(sql, tenantId)} GROUP BY tenant.id`.pipe(
        Row.all(toUsage),
        orNotFound("tenant"),
        operation("usage.ofTenant")
      ),

    ofBucket: (bucket) =>
      sql`SELECT ${sums(sql)} FROM bucket LEFT JOIN usage ON usage.owner_id = bucket.id
        WHERE ${isOpenBucket(sql, bucket)} GROUP BY bucket.id`.pipe(
        Row.all(toUsage),
        orNotFound("bucket"),
        operation("usage.ofBucket")
      ),

    recount: ({ after = "", limit, owner, repair }) =>
      find(owner, { after, limit }).pipe(
        Effect.tap(({ drifts }) => (repair ? transaction(sql)(repairDrift(sql, owner, drifts)) : Effect.void)),
        Effect.tap(({ drifts, last }) =>
          noteDrifts(sql, { owner, after, last, found: repair ? [] : drifts.map(({ ownerId }) => ownerId) })
        ),
        Effect.map(({ drifts, last }) => ({
          drifts: drifts.map(({ missing, ownerId }) => ({ owner, ownerId, missing })),
          last
        })),
        operation("usage.recount")
      ),

    countDrifts: (limit) => countDrifts(sql, limit).pipe(operation("usage.countDrifts"))
  })
})

export const layer: Layer.Layer<UsageRepository, never, SqlClient> = Layer.effect(UsageRepository, make)
