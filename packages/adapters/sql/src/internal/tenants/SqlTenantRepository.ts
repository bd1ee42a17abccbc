/**
 * The TenantRepository in SQL.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import type { Action, Detail } from "@holdfast/core/events/Event"
import { SubdomainTaken, type Tenant, TenantNotEmpty } from "@holdfast/core/tenants/Tenant"
import { TenantRepository } from "@holdfast/core/tenants/TenantRepository"
import { isOpenTenant } from "../buckets/OpenBucket.ts"
import { markTenant } from "../buckets/Removals.ts"
import { countFiles, countShares, removeBuckets, removedAtOnce } from "../buckets/RemoveBuckets.ts"
import * as Constraint from "../Constraint.ts"
import { lock, millis, unplannedText } from "../Dialect.ts"
import { type Change, changedFields, record, recordFound } from "../events/RecordEvent.ts"
import * as Invitations from "../members/Invitations.ts"
import { memberEvent } from "../members/MemberEvents.ts"
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

const orSubdomainTaken = (subdomain: string) =>
  Constraint.mapViolation(Constraint.isViolationOf(Constraint.tenantSubdomain), () => new SubdomainTaken({ subdomain }))

const tenantEvent = (action: Action, { id, name }: Tenant, detail: Detail = {}): Change => ({
  tenantId: id,
  action,
  target: { id, name },
  detail
})

/** The buckets that one transaction removes. */
const bucketsAtOnce = 20

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const columns = sql.literal("tenant.id, tenant.name, tenant.subdomain, tenant.created_at, tenant.updated_at")

  const insert = (tenant: Tenant) =>
    sql`INSERT INTO tenant (id, name, subdomain, created_at, updated_at)
      VALUES (${tenant.id}, ${tenant.name}, ${tenant.subdomain}, ${millis(tenant.createdAt)}, ${millis(tenant.updatedAt)})`

  /**
   * Returns the ids of the tenant's buckets. Undefined when the tenant has too many rows for one transaction, or a bucket that is
   * being removed in steps.
   */
  const findFewBuckets = Effect.fnUntraced(function* (tenantId: string) {
    const ofTenant = sql`tenant_id = ${unplannedText(sql, tenantId)}`
    const buckets = yield* sql`SELECT id, removed FROM bucket WHERE ${ofTenant}
      ORDER BY id LIMIT ${bucketsAtOnce + 1}`.pipe(
      Row.all((row) => ({ id: Row.text(row, "id"), isRemoved: Row.int(row, "removed") === 1 }))
    )
    if (buckets.length > bucketsAtOnce || buckets.some(({ isRemoved }) => isRemoved)) return undefined
    for (const table of ["member", "api_key"]) {
      const more = yield* sql`SELECT id FROM ${sql.literal(table)} WHERE ${ofTenant} LIMIT 1 OFFSET ${removedAtOnce}`
      if (more.length > 0) return undefined
    }
    const ids = buckets.map(({ id }) => id)
    let [files, shares] = [0, 0]
    for (const id of ids) {
      files += yield* countFiles(sql, id, removedAtOnce + 1 - files)
      shares += yield* countShares(sql, id, removedAtOnce + 1 - shares)
      if (files > removedAtOnce || shares > removedAtOnce) return undefined
    }
    return ids
  })

  const remove = Effect.fnUntraced(function* (tenantId: string, force: boolean, sweepAt: number) {
    // No bucket and no member can be inserted into a locked tenant.
    const [found] =
      yield* sql`SELECT ${columns} FROM tenant WHERE ${isOpenTenant(sql, tenantId)} ${lock(sql, "FOR UPDATE")}`.pipe(
        Row.all(toTenant)
      )
    if (found === undefined) return false
    const anyBucket =
      yield* sql`SELECT id FROM bucket WHERE tenant_id = ${unplannedText(sql, tenantId)} AND removed = 0 LIMIT 1`
    if (anyBucket.length > 0 && !force) return yield* new TenantNotEmpty()
    yield* record(sql, tenantEvent("tenant.deleted", found))
    const bucketIds = yield* findFewBuckets(tenantId)
    if (bucketIds === undefined) {
      yield* markTenant(sql, { tenantId, sweepAt })
      return true
    }
    yield* removeBuckets(sql, { bucketIds, sweepAt })
    const invited = yield* Invitations.findAccounts(sql, tenantId)
    yield* sql`DELETE FROM tenant WHERE id = ${tenantId}`
    yield* Invitations.removeAccounts(sql, invited)
    return true
  })

  return TenantRepository.of({
    create: ({ member, tenant }) =>
      Effect.gen(function* () {
        yield* insert(tenant)
        yield* record(sql, tenantEvent("tenant.created", tenant))
        if (member === undefined) return
        yield* insertMember(sql, tenant.id, member)
        yield* record(sql, memberEvent(tenant.id, "member.created", member))
      }).pipe(transaction(sql), orSubdomainTaken(tenant.subdomain), operation("tenants.create")),

    find: (tenantId) =>
      sql`SELECT ${columns} FROM tenant WHERE ${isOpenTenant(sql, tenantId)}`.pipe(
        Row.first(toTenant),
        operation("tenants.find")
      ),

    list: ({ accountId, after, limit }) =>
      (accountId === undefined
        ? sql`SELECT ${columns} FROM tenant WHERE id > ${after ?? ""} AND removed = 0 ORDER BY id LIMIT ${limit}`
        : sql`SELECT ${columns} FROM member JOIN tenant ON tenant.id = member.tenant_id
            WHERE member.account_id = ${accountId} AND member.tenant_id > ${after ?? ""} AND tenant.removed = 0
            ORDER BY member.tenant_id LIMIT ${limit}`
      ).pipe(Row.all(toTenant), operation("tenants.list")),

    update: ({ at, change, tenantId }) =>
      sql`UPDATE tenant SET ${sql.update({
        updated_at: millis(at),
        ...(change.name === undefined ? undefined : { name: change.name }),
        ...(change.subdomain === undefined ? undefined : { subdomain: change.subdomain })
      })} WHERE ${isOpenTenant(sql, tenantId)} RETURNING ${columns}`.pipe(
        Row.first(toTenant),
        recordFound(sql, (updated) => tenantEvent("tenant.updated", updated, changedFields(change))),
        transaction(sql),
        orSubdomainTaken(change.subdomain ?? ""),
        operation("tenants.update")
      ),

    remove: ({ force, sweepAt, tenantId }) =>
      remove(tenantId, force, millis(sweepAt)).pipe(transaction(sql), operation("tenants.remove"))
  })
})

export const layer: Layer.Layer<TenantRepository, never, SqlClient> = Layer.effect(TenantRepository, make)
