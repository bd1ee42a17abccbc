/**
 * The QuotaRepository in SQL.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import * as Quota from "@holdfast/core/quotas/Quota"
import { QuotaRepository } from "@holdfast/core/quotas/QuotaRepository"
import { isOpenTenant } from "../buckets/OpenBucket.ts"
import { lock } from "../Dialect.ts"
import { record } from "../events/RecordEvent.ts"
import * as Reads from "../../Reads.ts"
import * as Row from "../Row.ts"
import { operation } from "../../SqlFailure.ts"
import { transaction } from "../../Transaction.ts"
import * as Counted from "./Counted.ts"
import { countReached, forgetReached, listReached } from "./ReachedLimits.ts"

const isLimits = (value: unknown): value is Quota.OwnLimits =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((limit) => limit === null || typeof limit === "number")

const toStored = (row: Row.Row) => ({
  name: Row.text(row, "name"),
  limits: row.limits === null ? {} : Row.json(isLimits, row, "limits")
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const read = yield* Reads.make(sql)

  const find = (tenantId: string) =>
    read(
      (client) => client`SELECT tenant.name, quota.limits FROM tenant LEFT JOIN quota ON quota.tenant_id = tenant.id
        WHERE ${isOpenTenant(client, tenantId)}`
    ).pipe(Row.first(toStored))

  const change = Effect.fnUntraced(function* (tenantId: string, change: Quota.ChangeQuota) {
    yield* sql`SELECT id FROM tenant WHERE ${isOpenTenant(sql, tenantId)} ${lock(sql, "FOR NO KEY UPDATE")}`
    const found = yield* find(tenantId)
    if (Option.isNone(found)) return Option.none<Quota.OwnLimits>()
    const { limits: former, name } = found.value
    const limits = Quota.apply(former, change)
    yield* sql`INSERT INTO quota (tenant_id, limits) VALUES (${tenantId}, ${JSON.stringify(limits)})
      ON CONFLICT (tenant_id) DO UPDATE SET limits = excluded.limits`
    const detail = { former, limits }
    yield* record(sql, { tenantId, action: "quota.changed", target: { id: tenantId, name }, detail })
    return Option.some(limits)
  })

  return QuotaRepository.of({
    find: (tenantId) => find(tenantId).pipe(Effect.map(Option.map(({ limits }) => limits)), operation("quotas.find")),

    change: (update) => change(update.tenantId, update.change).pipe(transaction(sql), operation("quotas.change")),

    count: (tenantId, now) =>
      Effect.all({
        buckets: Counted.count(sql, Counted.buckets(sql, tenantId)),
        members: Counted.count(sql, Counted.members(sql, tenantId)),
        tokens: Counted.count(sql, Counted.tokens(sql, tenantId, now)),
        mirrors: Counted.count(sql, Counted.mirrors(sql, tenantId)),
        webhooks: Counted.count(sql, Counted.webhooks(sql, tenantId)),
        shares: Counted.count(sql, Counted.shares(sql, tenantId, now)),
        conversions: Counted.count(sql, Counted.conversions(sql, tenantId))
      }).pipe(operation("quotas.count")),

    listReached: (position) => listReached(sql, position).pipe(operation("quotas.listReached")),

    forgetReached: (terms) => forgetReached(sql, terms).pipe(operation("quotas.forgetReached")),

    countReached: (limit) => countReached(sql, limit).pipe(operation("quotas.countReached"))
  })
})

export const layer: Layer.Layer<QuotaRepository, never, SqlClient> = Layer.effect(QuotaRepository, make)
