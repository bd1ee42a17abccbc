/**
 * Marks buckets and tenants as removed, and deletes their rows in steps.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { RemovalClaim, RemovalStep } from "@holdfast/core/buckets/RemovalRepository"
import { among, lock, unplanned, unplannedText } from "../Dialect.ts"
import * as Invitations from "../members/Invitations.ts"
import { record } from "../events/RecordEvent.ts"
import * as Row from "../Row.ts"
import { abortUploads, countFiles, removeMirrors } from "./RemoveBuckets.ts"

/** The name of a removed bucket or subdomain of a removed tenant: no request can ask for a control character. */
const freedName = "'\u0001' || id"

/** Marks buckets as removed and their mirrors, so that the copies at their targets stay. The buckets must be locked by `FOR UPDATE`. */
export const markBuckets = Effect.fnUntraced(function* (
  sql: SqlClient,
  { bucketIds, sweepAt }: { readonly bucketIds: ReadonlyArray<string>; readonly sweepAt: number }
) {
  const buckets = among(sql, "id", bucketIds)
  yield* removeMirrors(sql, bucketIds)
  yield* abortUploads(sql, bucketIds)
  yield* sql`INSERT INTO removal (id, tenant_id, kind, sweep_at, due_at, path, name, deleted)
    SELECT id, tenant_id, 'BUCKET', ${sweepAt}, 0, '', '', 0 FROM bucket WHERE ${buckets}`
  const marked = yield* sql`UPDATE bucket SET removed = 1, name = ${sql.literal(freedName)} WHERE ${buckets}
    RETURNING id`
  return marked.length
})

/** Buckets of a tenant that one transaction marks as removed. */
const bucketBatch = 2000

/** Marks at most `bucketBatch` buckets of a tenant as removed. Returns how many. */
const markBucketsOf = Effect.fnUntraced(function* (
  sql: SqlClient,
  { sweepAt, tenantId }: { readonly tenantId: string; readonly sweepAt: number }
) {
  const ids = yield* sql`SELECT id FROM bucket WHERE tenant_id = ${unplannedText(sql, tenantId)} AND removed = 0
    ORDER BY id LIMIT ${bucketBatch} ${lock(sql, "FOR UPDATE")}`.pipe(Row.all((row) => Row.text(row, "id")))
  return ids.length === 0 ? 0 : yield* markBuckets(sql, { bucketIds: ids, sweepAt })
})

/** Marks a tenant as removed, whose row must be locked, with its first buckets. From now on it has no members for `Access`. */
export const markTenant = Effect.fnUntraced(function* (
  sql: SqlClient,
  removal: { readonly tenantId: string; readonly sweepAt: number }
) {
  const { sweepAt, tenantId } = removal
  yield* sql`UPDATE tenant SET removed = 1, subdomain = ${sql.literal(freedName)} WHERE id = ${tenantId}`
  yield* sql`DELETE FROM webhook WHERE tenant_id = ${tenantId}`
  yield* sql`INSERT INTO removal (id, tenant_id, kind, sweep_at, due_at, path, name, deleted)
    VALUES (${tenantId}, ${tenantId}, 'TENANT', ${sweepAt}, 0, '', '', 0)`
  yield* markBucketsOf(sql, removal)
})

interface Progress {
  readonly sweepAt: number
  readonly path: string
  readonly name: string
}

const toProgress: Row.FromRow<Progress> = (row) => ({
  sweepAt: Row.int(row, "sweep_at"),
  path: Row.text(row, "path"),
  name: Row.text(row, "name")
})

const toFilePlace = (row: Row.Row) => ({
  id: Row.text(row, "id"),
  blobId: Row.orNull(Row.text, row, "blob_id"),
  path: Row.text(row, "path"),
  name: Row.text(row, "name")
})

/** Ends a removal, and writes its event: one for all rows that its steps have deleted. */
const finish = Effect.fnUntraced(function* (sql: SqlClient, { deleted, id, kind, tenantId }: RemovalClaim) {
  yield* sql`DELETE FROM removal WHERE id = ${id}`
  const target = { id, name: null }
  yield* record(
    sql,
    kind === "BUCKET"
      ? { tenantId, bucketId: id, action: "bucket.cleared", target, detail: { rows: deleted } }
      : { tenantId, action: "tenant.cleared", target, detail: { rows: deleted } }
  )
})

/** Deletes the next files or shares of a bucket; the blobs of the files become DOOMED. At the end deletes the bucket. */
const deleteFiles = Effect.fnUntraced(function* (
  sql: SqlClient,
  claim: RemovalClaim,
  { name, path, sweepAt }: Progress,
  limit: number
) {
  const inBucket = sql`bucket_id = ${claim.id}`
  const files =
    yield* sql`SELECT id, blob_id, path, name FROM file WHERE ${inBucket} AND (path, name) > (${path}, ${name})
    ORDER BY path, name LIMIT ${limit} ${lock(sql, "FOR UPDATE")}`.pipe(Row.all(toFilePlace))
  const last = files.at(-1)
  if (last !== undefined) {
    const blobIds = files.flatMap(({ blobId }) => blobId ?? [])
    yield* sql`UPDATE blob SET state = 'DOOMED', due_at = ${sweepAt}
      WHERE ${among(sql, "id", blobIds)} AND state = 'READY'`
    const ids = files.map(({ id }) => id)
    yield* sql`DELETE FROM file WHERE ${among(sql, "id", ids)}`
    yield* sql`UPDATE removal SET path = ${last.path}, name = ${last.name} WHERE id = ${claim.id}`
    return { state: "PENDING", deleted: files.length } satisfies RemovalStep
  }
  const shares = yield* sql`DELETE FROM share WHERE bucket_id = ${claim.id} AND id IN (
    SELECT id FROM share WHERE bucket_id = ${unplannedText(sql, claim.id)} ORDER BY id LIMIT ${unplanned(sql, limit)}) RETURNING 1 AS one`
  if (shares.length > 0) return { state: "PENDING", deleted: shares.length } satisfies RemovalStep
  // A transaction that inserted a file while the bucket was being marked has ended when this one has the lock.
  yield* sql`SELECT id FROM bucket WHERE id = ${claim.id} ${lock(sql, "FOR UPDATE")}`
  if ((yield* countFiles(sql, claim.id, 1)) > 0) {
    yield* sql`UPDATE removal SET path = '', name = '' WHERE id = ${claim.id}`
    return { state: "PENDING", deleted: 0 } satisfies RemovalStep
  }
  yield* sql`DELETE FROM bucket WHERE id = ${claim.id}`
  yield* finish(sql, claim)
  return { state: "DONE", deleted: 1 } satisfies RemovalStep
})

/** The tables with rows of a tenant besides its buckets, and what identifies a row in each. */
const tenantTables: ReadonlyArray<readonly [table: string, columns: string]> = [
  ["creation", "member_id, resource_id"],
  ["api_key", "id"]
]

/** Deletes the next members of a tenant, whose tokens are deleted already. Returns how many. */
const deleteMembers = Effect.fnUntraced(function* (sql: SqlClient, tenantId: string, limit: number) {
  const deleted = yield* sql`DELETE FROM member WHERE tenant_id = ${tenantId} AND id IN (
    SELECT id FROM member WHERE tenant_id = ${unplannedText(sql, tenantId)} ORDER BY id LIMIT ${unplanned(sql, limit)})
    RETURNING account_id, invited_email_key`.pipe(
    Row.all((row) => ({ accountId: Row.text(row, "account_id"), isInvited: row.invited_email_key !== null }))
  )
  const invited = deleted.flatMap(({ accountId, isInvited }) => (isInvited ? [accountId] : []))
  yield* Invitations.removeAccounts(sql, invited)
  return deleted.length
})

/** Deletes the next tokens and members of a tenant, marks its next buckets, and deletes the tenant when no bucket is left. */
const deleteTenantRows = Effect.fnUntraced(function* (
  sql: SqlClient,
  claim: RemovalClaim,
  { sweepAt }: Progress,
  limit: number
) {
  const { tenantId } = claim
  const pending = (deleted: number): RemovalStep => ({ state: "PENDING", deleted })
  for (const [table, columns] of tenantTables) {
    const [rows, key] = [sql.literal(table), sql.literal(columns)]
    const deleted = yield* sql`DELETE FROM ${rows} WHERE tenant_id = ${tenantId} AND (${key}) IN (
      SELECT ${key} FROM ${rows} WHERE tenant_id = ${unplannedText(sql, tenantId)} ORDER BY ${key} LIMIT ${unplanned(sql, limit)}) RETURNING 1 AS one`
    if (deleted.length > 0) return pending(deleted.length)
  }
  const members = yield* deleteMembers(sql, tenantId, limit)
  if (members > 0) return pending(members)
  // A transaction that created a bucket while the tenant was being marked has ended when this one has the lock.
  yield* sql`SELECT id FROM tenant WHERE id = ${tenantId} ${lock(sql, "FOR UPDATE")}`
  if ((yield* markBucketsOf(sql, { tenantId, sweepAt })) > 0) return pending(0)
  if ((yield* sql`SELECT id FROM bucket WHERE tenant_id = ${unplannedText(sql, tenantId)} LIMIT 1`).length > 0) {
    return { state: "WAITING", deleted: 0 } satisfies RemovalStep
  }
  yield* sql`DELETE FROM tenant WHERE id = ${tenantId}`
  yield* finish(sql, claim)
  return { state: "DONE", deleted: 1 } satisfies RemovalStep
})

/** Runs one step of a claimed removal, inside a transaction. */
export const runStep = Effect.fnUntraced(function* (
  sql: SqlClient,
  { claim, leaseUntil, limit }: { readonly claim: RemovalClaim; readonly limit: number; readonly leaseUntil: number }
) {
  const [progress] = yield* sql`SELECT sweep_at, path, name FROM removal
    WHERE id = ${claim.id} AND lease = ${claim.lease} ${lock(sql, "FOR UPDATE")}`.pipe(Row.all(toProgress))
  if (progress === undefined) return { state: "LOST", deleted: 0 } satisfies RemovalStep
  const step: RemovalStep = yield* claim.kind === "BUCKET"
    ? deleteFiles(sql, claim, progress, limit)
    : deleteTenantRows(sql, claim, progress, limit)
  yield* sql`UPDATE removal SET deleted = deleted + ${step.deleted}, due_at = ${leaseUntil} WHERE id = ${claim.id}`
  return step
})
