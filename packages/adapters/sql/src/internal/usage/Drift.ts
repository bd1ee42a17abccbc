/**
 * Compares the usage counters of buckets with their rows.
 *
 * One statement reads both at one moment. The counters are sums, so that a difference stays the same whatever other transactions
 * change, and may be added later.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Usage } from "@holdfast/core/usage/Usage"
import { among, lock } from "../Dialect.ts"
import * as Row from "../Row.ts"
import { counters, toUsage } from "./UsageRow.ts"

/** What the counters of a bucket lack. */
export interface Drift extends Usage {
  readonly bucketId: string
  readonly tenantId: string
}

/** Buckets by id, from a position on. */
interface Range {
  readonly after: string
  readonly limit: number
}

const toDrift: Row.FromRow<Drift> = (row) => ({
  bucketId: Row.text(row, "id"),
  tenantId: Row.text(row, "tenant_id"),
  ...toUsage(row)
})

const isNone = ({ contentBytes, files, reservedBytes, streamBytes }: Usage): boolean =>
  files === 0 && contentBytes === 0 && streamBytes === 0 && reservedBytes === 0

/** Finds the drift of some buckets. `last` is the id of the last one; null when no bucket follows. */
export const findDrift = (sql: SqlClient, { after, limit }: Range) => {
  // Subqueries for each bucket: PostgreSQL then reads its files by the index, whatever it expects of the others.
  const total = (value: string, rows: string) => `CAST(COALESCE((SELECT ${value} FROM ${rows}), 0) AS bigint)`
  const counted = (column: string) => total(`SUM(${column})`, "usage WHERE usage.owner_id = owner.id")
  const inFiles = "file WHERE file.bucket_id = owner.id"
  const inStreams = `conversion JOIN conversion_file ON conversion_file.conversion_id = conversion.id
    JOIN blob ON blob.id = conversion_file.blob_id WHERE conversion.bucket_id = owner.id`
  const inUploads = `blob WHERE blob.state = 'PENDING' AND blob.due_at IS NOT NULL AND blob.bucket_id = owner.id`
  const existing: Record<(typeof counters)[number], string> = {
    files: total("COUNT(*)", inFiles),
    content_bytes: total("SUM(file.size)", inFiles),
    stream_bytes: total("SUM(blob.size)", inStreams),
    reserved_bytes: total("SUM(blob.reserved)", inUploads)
  }
  const differences = counters.map((name) => `${existing[name]} - ${counted(name)} AS ${name}`).join(", ")
  return sql`SELECT owner.id, owner.tenant_id, ${sql.literal(differences)}
    FROM (SELECT id, tenant_id FROM bucket WHERE id > ${after} ORDER BY id LIMIT ${limit}) AS owner
    ORDER BY owner.id`.pipe(
    Row.all(toDrift),
    Effect.map((found) => ({
      drifts: found.filter((drift) => !isNone(drift)),
      buckets: found.length,
      last: found.length < limit ? null : (found.at(-1)?.bucketId ?? null)
    }))
  )
}

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

const plus = (a: Usage | undefined, b: Usage): Usage => ({
  files: (a?.files ?? 0) + b.files,
  contentBytes: (a?.contentBytes ?? 0) + b.contentBytes,
  streamBytes: (a?.streamBytes ?? 0) + b.streamBytes,
  reservedBytes: (a?.reservedBytes ?? 0) + b.reservedBytes
})

/** Adds to the counters of some buckets, and of their tenants, what they lack, inside a transaction. */
export const addDrift = Effect.fnUntraced(function* (sql: SqlClient, range: Range) {
  const { drifts, last } = yield* findDrift(sql, range)
  const ids = drifts.map(({ bucketId }) => bucketId)
  const present = yield* sql`SELECT id FROM bucket WHERE ${among(sql, "id", ids)} ORDER BY id
    ${lock(sql, "FOR KEY SHARE")}`.pipe(Row.all((row) => Row.text(row, "id")))
  const isPresent = new Set(present)
  const kept = drifts.filter(({ bucketId }) => isPresent.has(bucketId))
  const tenants = new Map<string, Usage>()
  for (const drift of kept) tenants.set(drift.tenantId, plus(tenants.get(drift.tenantId), drift))
  // The order of the triggers: tenants, then buckets, each by id.
  yield* add(
    sql,
    Array.from(tenants).toSorted(([a], [b]) => (a < b ? -1 : 1))
  )
  yield* add(
    sql,
    kept.map((drift) => [drift.bucketId, drift])
  )
  return { last }
})
