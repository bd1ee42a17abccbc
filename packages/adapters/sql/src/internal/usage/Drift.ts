/**
 * Compares the usage counters with what they count.
 *
 * One statement or one snapshot reads both at one moment. The counters are sums, so that a difference stays the same whatever other transactions
 * change, and may be added later.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { Usage } from "@holdfast/core/usage/Usage"
import { among, lock } from "../Dialect.ts"
import * as Row from "../Row.ts"
import { inTransaction } from "../../Transaction.ts"
import { captionBytes, posterBytes } from "../migrations/StreamUsageTriggers.ts"
import * as LargeBuckets from "./LargeBuckets.ts"
import { counters, toUsage } from "./UsageRow.ts"

/** What the counters of an owner lack. */
export interface Drift {
  readonly ownerId: string
  /** The tenant of a bucket; of a tenant its own id. */
  readonly tenantId: string
  readonly missing: Usage
}

/** Owners by id, from a position on. */
interface Range {
  readonly after: string
  readonly limit: number
}

type Totals = Readonly<Record<(typeof counters)[number], string>>

const toDrift: Row.FromRow<Drift> = (row) => ({
  ownerId: Row.text(row, "id"),
  tenantId: Row.text(row, "tenant_id"),
  missing: toUsage(row)
})

const isNone = ({ contentBytes, files, reservedBytes, streamBytes }: Usage): boolean =>
  files === 0 && contentBytes === 0 && streamBytes === 0 && reservedBytes === 0

const none: Usage = { files: 0, contentBytes: 0, streamBytes: 0, reservedBytes: 0 }

const plus = (a: Usage, b: Usage, sign: 1 | -1 = 1): Usage => ({
  files: a.files + sign * b.files,
  contentBytes: a.contentBytes + sign * b.contentBytes,
  streamBytes: a.streamBytes + sign * b.streamBytes,
  reservedBytes: a.reservedBytes + sign * b.reservedBytes
})

/** A subquery for each owner: PostgreSQL then reads its rows by the index, whatever it expects of the others. */
const total = (value: string, rows: string): string => `CAST(COALESCE((SELECT ${value} FROM ${rows}), 0) AS bigint)`

const ofEach = (rowsOf: (name: (typeof counters)[number]) => string): Totals => ({
  files: rowsOf("files"),
  content_bytes: rowsOf("content_bytes"),
  stream_bytes: rowsOf("stream_bytes"),
  reserved_bytes: rowsOf("reserved_bytes")
})

const inFiles = "file WHERE file.bucket_id = owner.id"
const inStreams = `conversion JOIN conversion_file ON conversion_file.conversion_id = conversion.id
  JOIN blob ON blob.id = conversion_file.blob_id WHERE conversion.bucket_id = owner.id`
const inSegments = total("SUM(blob.size)", inStreams)
const inUploads = "blob WHERE blob.state = 'PENDING' AND blob.due_at IS NOT NULL AND blob.bucket_id = owner.id"

const inCaptions = "captions WHERE captions.bucket_id = owner.id"
const inPosters = "poster WHERE poster.bucket_id = owner.id"
const inAttached = [
  total(`SUM(${captionBytes((column) => `captions.${column}`)})`, inCaptions),
  total(`SUM(${posterBytes((column) => `poster.${column}`)})`, inPosters)
].join(" + ")

const expected: Readonly<Record<"bucket" | "tenant", Totals>> = {
  bucket: {
    files: total("COUNT(*)", inFiles),
    content_bytes: total("SUM(file.size)", inFiles),
    stream_bytes: `${inSegments} + ${inAttached}`,
    reserved_bytes: total("SUM(blob.reserved)", inUploads)
  },
  tenant: ofEach((name) =>
    total(`SUM(usage.${name})`, "bucket JOIN usage ON usage.owner_id = bucket.id WHERE bucket.tenant_id = owner.id")
  )
}

const counted = ofEach((name) => total(`SUM(usage.${name})`, "usage WHERE usage.owner_id = owner.id"))

const selectDrift = (sql: SqlClient, totals: Totals, owners: Fragment) => {
  const differences = counters.map((name) => `${totals[name]} - ${counted[name]} AS ${name}`)
  return sql`SELECT owner.id, owner.tenant_id, ${sql.literal(differences.join(", "))} FROM (${owners}) AS owner
    ORDER BY owner.id`.pipe(Row.all(toDrift))
}

/** The totals of a bucket before captions and posters counted: there are no such tables yet when the migration `usage` runs. */
const withoutAttached: Totals = { ...expected.bucket, stream_bytes: inSegments }

/**
 * Finds the drift of some owners: of buckets against their rows, of tenants against the counters of their buckets. `last` is the id of
 * the last owner; null when no owner follows.
 */
export const findDrift = (
  sql: SqlClient,
  owner: "tenant" | "bucket",
  { after, limit }: Range,
  totals: Totals = expected[owner]
) => {
  const tenantId = sql.literal(owner === "tenant" ? "id AS tenant_id" : "tenant_id")
  const owners = sql`SELECT id, ${tenantId} FROM ${sql(owner)} WHERE id > ${after} ORDER BY id LIMIT ${limit}`
  return Effect.map(selectDrift(sql, totals, owners), (found) => ({
    drifts: found.filter(({ missing }) => !isNone(missing)),
    last: found.length < limit ? null : (found.at(-1)?.ownerId ?? null)
  }))
}

/** Returns what the counters of a bucket lack, given the sums of its rows. */
const compareSums = (sql: SqlClient, { bucketId, tenantId }: BucketRef, sums: Usage) =>
  sql`SELECT ${sql.literal(counters.map((name) => `${counted[name]} AS ${name}`).join(", "))}
    FROM (SELECT ${bucketId} AS id) AS owner`.pipe(
    Row.all(toUsage),
    Effect.map(([use = none]): Drift => ({ ownerId: bucketId, tenantId, missing: plus(sums, use, -1) }))
  )

/**
 * As `findDrift`, for buckets of any size on PostgreSQL: no statement reads more than some thousand rows, whose server ends longer ones.
 * All statements read the snapshot of one transaction, so that the result is exact while other transactions change rows, which it does
 * not delay.
 */
export const findDriftInPages = Effect.fnUntraced(function* (sql: SqlClient, { after, limit }: Range) {
  yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`
  const buckets = yield* LargeBuckets.list(sql, { after, limit })
  const small = buckets.flatMap(({ bucketId, isLarge }) => (isLarge ? [] : [bucketId]))
  const found: Array<Drift> = [
    ...(yield* selectDrift(
      sql,
      expected.bucket,
      sql`SELECT id, tenant_id FROM bucket WHERE ${among(sql, "id", small)}`
    ))
  ]
  for (const bucket of buckets.filter(({ isLarge }) => isLarge)) {
    found.push(yield* compareSums(sql, bucket, yield* LargeBuckets.sum(sql, bucket.bucketId)))
  }
  return {
    drifts: found.filter(({ missing }) => !isNone(missing)).toSorted((a, b) => (a.ownerId < b.ownerId ? -1 : 1)),
    last: buckets.length < limit ? null : (buckets.at(-1)?.bucketId ?? null)
  }
}, inTransaction)

/** Adds to the counters of owners, in the order of the entries. */
const add = (sql: SqlClient, owners: ReadonlyArray<readonly [ownerId: string, added: Usage]>) => {
  const rows = owners.map(
    ([owner_id, { contentBytes, files, reservedBytes, streamBytes }]): Record<string, unknown> => ({
      owner_id,
      shard: 0,
      files,
      content_bytes: contentBytes,
      stream_bytes: streamBytes,
      reserved_bytes: reservedBytes
    })
  )
  const addition = counters.map((name) => `${name} = usage.${name} + excluded.${name}`).join(", ")
  return Arr.isReadonlyArrayNonEmpty(rows)
    ? sql`INSERT INTO usage ${sql.insert(rows)} ON CONFLICT (owner_id, shard) DO UPDATE SET ${sql.literal(addition)}`
    : Effect.void
}

/** Returns those drifts whose owner still exists, and keeps it from being removed until the transaction ends. */
const lockOwners = Effect.fnUntraced(function* (
  sql: SqlClient,
  owner: "tenant" | "bucket",
  drifts: ReadonlyArray<Drift>
) {
  const ids = drifts.map(({ ownerId }) => ownerId)
  const present = yield* sql`SELECT id FROM ${sql(owner)} WHERE ${among(sql, "id", ids)} ORDER BY id
    ${lock(sql, "FOR KEY SHARE")}`.pipe(Row.all((row) => Row.text(row, "id")))
  const isPresent = new Set(present)
  return drifts.filter(({ ownerId }) => isPresent.has(ownerId))
})

/** Adds to the counters of owners what they lack, inside a transaction. */
export const repairDrift = Effect.fnUntraced(function* (
  sql: SqlClient,
  owner: "tenant" | "bucket",
  drifts: ReadonlyArray<Drift>
) {
  if (drifts.length === 0) return
  const kept = yield* lockOwners(sql, owner, drifts)
  yield* add(
    sql,
    kept.map(({ missing, ownerId }) => [ownerId, missing])
  )
})

const addMissing = Effect.fnUntraced(function* (sql: SqlClient, range: Range, totals: Totals) {
  const { drifts, last } = yield* findDrift(sql, "bucket", range, totals)
  const kept = yield* lockOwners(sql, "bucket", drifts)
  const tenants = new Map<string, Usage>()
  for (const { missing, tenantId } of kept) tenants.set(tenantId, plus(tenants.get(tenantId) ?? none, missing))
  // The order of the triggers: tenants, then buckets, each by id.
  yield* add(
    sql,
    Array.from(tenants).toSorted(([a], [b]) => (a < b ? -1 : 1))
  )
  yield* add(
    sql,
    kept.map(({ missing, ownerId }) => [ownerId, missing])
  )
  return last
})

/**
 * Adds to the counters of some buckets, and to those of their tenants, what the former lack, inside a transaction: for migrations,
 * which count what existed before a counter.
 */
export const addUncounted = (sql: SqlClient, range: Range) => addMissing(sql, range, expected.bucket)

/** As `addUncounted`, for the migration `usage`, whose counters do not include captions and posters. */
export const addUncountedFormerly = (sql: SqlClient, range: Range) => addMissing(sql, range, withoutAttached)
