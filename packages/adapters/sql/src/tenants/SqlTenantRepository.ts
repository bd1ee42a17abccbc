/**
 * Tenants, in SQL.
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
import { operation } from "../SqlFailure.ts"
import { transaction } from "../Transaction.ts"

const toTenant: Row.FromRow<Tenant> = (row) => ({
  id: Row.text(row, "id"),
  name: Row.text(row, "name"),
  subdomain: Row.text(row, "subdomain"),
  createdAt: Row.instant(row, "created_at"),
  updatedAt: Row.instant(row, "updated_at")
})

const orSubdomainTaken = Constraint.orElseFail(
  Constraint.violates(Constraint.tenantSubdomain),
  () => new SubdomainTaken()
)

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const columns = sql.literal("tenant.id, tenant.name, tenant.subdomain, tenant.created_at, tenant.updated_at")

  const insert = (tenant: Tenant) =>
    sql`INSERT INTO tenant (id, name, subdomain, created_at, updated_at)
      VALUES (${tenant.id}, ${tenant.name}, ${tenant.subdomain}, ${millis(tenant.createdAt)}, ${millis(tenant.updatedAt)})`

  const remove = Effect.fnUntraced(function* (tenantId: string, force: boolean, sweepAt: number) {
    // While the tenant is locked, nobody adds a bucket or a member to it.
    const found = yield* sql`SELECT id FROM tenant WHERE id = ${tenantId} ${lock(sql, "FOR UPDATE")}`
    if (found.length === 0) return false
    const buckets = yield* sql`SELECT id FROM bucket WHERE tenant_id = ${tenantId} LIMIT 1`
    if (buckets.length > 0) {
      if (!force) return yield* new TenantNotEmpty()
      const mine = sql`tenant_id = ${tenantId}`
      yield* removeBuckets(sql, mine, sql`${mine} AND bucket_id IN (SELECT id FROM bucket WHERE ${mine})`, sweepAt)
    }
    yield* sql`DELETE FROM tenant WHERE id = ${tenantId}`
    return true
  })

  return TenantRepository.of({
    create: (tenant, member) =>
      (member === undefined
        ? insert(tenant)
        : Effect.andThen(insert(tenant), insertMember(sql, tenant.id, member)).pipe(transaction(sql))
      ).pipe(Effect.asVoid, orSubdomainTaken, operation("tenants.create")),

    find: (tenantId) =>
      sql`SELECT ${columns} FROM tenant WHERE id = ${tenantId}`.pipe(Row.first(toTenant), operation("tenants.find")),

    list: (accountId, after, limit) =>
      (accountId === undefined
        ? sql`SELECT ${columns} FROM tenant WHERE id > ${after ?? ""} ORDER BY id LIMIT ${limit}`
        : sql`SELECT ${columns} FROM member JOIN tenant ON tenant.id = member.tenant_id
            WHERE member.account_id = ${accountId} AND member.tenant_id > ${after ?? ""}
            ORDER BY member.tenant_id LIMIT ${limit}`
      ).pipe(Row.all(toTenant), operation("tenants.list")),

    update: (tenantId, change, at) =>
      sql`UPDATE tenant SET ${sql.update({
        updated_at: millis(at),
        ...(change.name === undefined ? undefined : { name: change.name }),
        ...(change.subdomain === undefined ? undefined : { subdomain: change.subdomain })
      })} WHERE id = ${tenantId} RETURNING ${columns}`.pipe(
        Row.first(toTenant),
        orSubdomainTaken,
        operation("tenants.update")
      ),

    remove: (tenantId, { force, sweepAt }) =>
      remove(tenantId, force, millis(sweepAt)).pipe(transaction(sql), operation("tenants.remove"))
  })
})

export const layer: Layer.Layer<TenantRepository, never, SqlClient> = Layer.effect(TenantRepository, make)
