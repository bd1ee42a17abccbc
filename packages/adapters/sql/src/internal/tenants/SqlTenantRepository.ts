/**
 * The TenantRepository in SQL.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { SubdomainTaken, type Tenant, TenantNotEmpty } from "@holdfast/core/tenants/Tenant"
import { TenantRepository } from "@holdfast/core/tenants/TenantRepository"
import { removeBuckets } from "../buckets/RemoveBuckets.ts"
import * as Constraint from "../Constraint.ts"
import { lock, millis } from "../Dialect.ts"
import { insert as insertMember } from "../members/MemberRows.ts"
import * as Row from "../Row.ts"
import { operation } from "../../SqlFailure.ts"
import { transaction } from "../../Transaction.ts"

const toTenant: Row.FromRow<Tenant> = (row) => ({
  id: Row.text(row, "id"),
  name: Row.text(row, "name"),
  subdomain: Row.text(row, "subdomain"),
  createdAt: Row.instant(row, "created_at"),
  updatedAt: Row.instant(row, "updated_at")
})

const orSubdomainTaken = Constraint.mapViolation(
  Constraint.isViolationOf(Constraint.tenantSubdomain),
  () => new SubdomainTaken()
)

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const columns = sql.literal("tenant.id, tenant.name, tenant.subdomain, tenant.created_at, tenant.updated_at")

  const insert = (tenant: Tenant) =>
    sql`INSERT INTO tenant (id, name, subdomain, created_at, updated_at)
      VALUES (${tenant.id}, ${tenant.name}, ${tenant.subdomain}, ${millis(tenant.createdAt)}, ${millis(tenant.updatedAt)})`

  const remove = Effect.fnUntraced(function* (tenantId: string, force: boolean, sweepAt: number) {
    // No bucket and no member can be inserted into a locked tenant.
    const found = yield* sql`SELECT id FROM tenant WHERE id = ${tenantId} ${lock(sql, "FOR UPDATE")}`
    if (found.length === 0) return false
    const anyBucket = yield* sql`SELECT id FROM bucket WHERE tenant_id = ${tenantId} LIMIT 1`
    if (anyBucket.length > 0) {
      if (!force) return yield* new TenantNotEmpty()
      const buckets = sql`tenant_id = ${tenantId}`
      const files = sql`${buckets} AND bucket_id IN (SELECT id FROM bucket WHERE ${buckets})`
      yield* removeBuckets(sql, { buckets, files, sweepAt })
    }
    yield* sql`DELETE FROM tenant WHERE id = ${tenantId}`
    return true
  })

  return TenantRepository.of({
    create: ({ member, tenant }) =>
      (member === undefined
        ? insert(tenant)
        : Effect.andThen(insert(tenant), insertMember(sql, tenant.id, member)).pipe(transaction(sql))
      ).pipe(Effect.asVoid, orSubdomainTaken, operation("tenants.create")),

    find: (tenantId) =>
      sql`SELECT ${columns} FROM tenant WHERE id = ${tenantId}`.pipe(Row.first(toTenant), operation("tenants.find")),

    list: ({ accountId, after, limit }) =>
      (accountId === undefined
        ? sql`SELECT ${columns} FROM tenant WHERE id > ${after ?? ""} ORDER BY id LIMIT ${limit}`
        : sql`SELECT ${columns} FROM member JOIN tenant ON tenant.id = member.tenant_id
            WHERE member.account_id = ${accountId} AND member.tenant_id > ${after ?? ""}
            ORDER BY member.tenant_id LIMIT ${limit}`
      ).pipe(Row.all(toTenant), operation("tenants.list")),

    update: ({ at, change, tenantId }) =>
      sql`UPDATE tenant SET ${sql.update({
        updated_at: millis(at),
        ...(change.name === undefined ? undefined : { name: change.name }),
        ...(change.subdomain === undefined ? undefined : { subdomain: change.subdomain })
      })} WHERE id = ${tenantId} RETURNING ${columns}`.pipe(
        Row.first(toTenant),
        orSubdomainTaken,
        operation("tenants.update")
      ),

    remove: ({ force, sweepAt, tenantId }) =>
      remove(tenantId, force, millis(sweepAt)).pipe(transaction(sql), operation("tenants.remove"))
  })
})

export const layer: Layer.Layer<TenantRepository, never, SqlClient> = Layer.effect(TenantRepository, make)
