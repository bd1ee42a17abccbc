/**
 * Fills buckets with rows of files, straight into the database: a million uploads would take an hour. The files have no
 * bytes, so that they can be listed but not read.
 *
 * Half of a bucket's files stand in `/flat/`, the other half in a hundred folders below `/tree/`.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

export interface Bucket {
  readonly tenantId: string
  readonly bucketId: string
  readonly files: number
}

/** Rows in one transaction. */
const batch = 100_000

const digits = (expression: string): string => `substr(CAST(1000000000000 + ${expression} AS text), 2)`

/** The name of the n-th file of `/flat/`. */
export const flatName = (n: number): string => `file-${String(n).padStart(12, "0")}`

/** One of the folders of `/tree/`. */
export const folder = (n: number): string => `/tree/folder-${String(n).padStart(12, "0")}/`

const folders = 100

/** An id of this kind for the n-th file: unique as long as each bucket has an ordinal of its own. */
const idOf = (kind: string, ordinal: number): string => `'${kind}_0189000${ordinal}-0000-7000-8000-' || ${digits("n")}`

const fill = (
  ordinal: number,
  { bucketId, files, tenantId }: Bucket
): Effect.Effect<void, SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const half = Math.floor(files / 2)
    for (let from = 0; from < files; from += batch) {
      const numbers = sql.literal(
        `WITH RECURSIVE numbers (n) AS (
          SELECT ${from} UNION ALL SELECT n + 1 FROM numbers WHERE n < ${Math.min(from + batch, files) - 1})`
      )
      const tenant = sql`CAST(${tenantId} AS text), CAST(${bucketId} AS text)`
      const sha256 = sql.literal(`'${"0123456789abcdef".repeat(4)}'`)
      yield* sql.withTransaction(
        Effect.andThen(
          sql`INSERT INTO blob (id, tenant_id, bucket_id, state, size, sha256, file_id, created_at)
            ${numbers}
            SELECT ${sql.literal(idOf("blb", ordinal))}, ${tenant}, 'READY', 4096, ${sha256},
              ${sql.literal(idOf("fil", ordinal))}, 1767225600000 FROM numbers`,
          sql`INSERT INTO file (id, tenant_id, bucket_id, path, name, version, metadata, headers, created_at, updated_at,
              blob_id, size, sha256, etag, content_type, type, stored_at)
            ${numbers}
            SELECT ${sql.literal(idOf("fil", ordinal))}, ${tenant},
              CASE WHEN n < ${sql.literal(String(half))} THEN '/flat/'
                ELSE '/tree/folder-' || ${sql.literal(digits(`n % ${folders}`))} || '/' END,
              'file-' || ${sql.literal(digits("n"))}, 1, '{}', '[]', 1767225600000, 1767225600000,
              ${sql.literal(idOf("blb", ordinal))}, 4096, ${sha256}, '0123456789abcdef0123456789abcdef',
              'application/octet-stream', 'OTHER', 1767225600000 FROM numbers`
        )
      )
    }
  })

/** Fills each bucket. PostgreSQL then gathers the statistics that it would gather by itself in a minute. */
export const seed = (buckets: ReadonlyArray<Bucket>): Effect.Effect<void, SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (const [ordinal, bucket] of buckets.entries()) yield* fill(ordinal, bucket)
    yield* sql.onDialectOrElse({
      pg: () => Effect.asVoid(sql`VACUUM ANALYZE file`),
      orElse: () => Effect.void
    })
  })
