/**
 * Adds up the files, segments, captions, posters and reservations of buckets of any size in pages, in a transaction that reads one snapshot.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Usage } from "@holdfast/core/usage/Usage"
import { captionBytes, posterBytes } from "../migrations/StreamUsageTriggers.ts"
import * as Row from "../Row.ts"

/** A bucket with more files, conversions, captions or posters is large. */
const most = { files: 1000, conversions: 20, captions: 1000, posters: 1000 }

/** Rows of a page: some 20 milliseconds. */
const pageSize = 5000

/** Lists buckets by id, and which of them are large. */
export const list = (sql: SqlClient, { after, limit }: { readonly after: string; readonly limit: number }) => {
  const hasMore = (table: string, than: number) => sql`EXISTS (SELECT 1 FROM ${sql(table)}
    WHERE bucket_id = part.id OFFSET ${than})`
  return sql`SELECT id, tenant_id, CASE WHEN ${hasMore("file", most.files)} OR ${hasMore("conversion", most.conversions)}
      OR ${hasMore("captions", most.captions)} OR ${hasMore("poster", most.posters)}
      THEN 1 ELSE 0 END AS is_large
    FROM (SELECT id, tenant_id FROM bucket WHERE id > ${after} ORDER BY id LIMIT ${limit}) AS part ORDER BY id`.pipe(
    Row.all((row) => ({
      bucketId: Row.text(row, "id"),
      tenantId: Row.text(row, "tenant_id"),
      isLarge: Row.int(row, "is_large") === 1
    }))
  )
}

interface Page {
  readonly rows: number
  readonly bytes: number
  /** The position of the last row, as two texts. */
  readonly last: readonly [string, string]
}

/** Adds up the pages that a statement returns after a position. `page` selects `a`, `b` and `size`, ordered by `a` and `b`. */
const addPages = Effect.fnUntraced(function* (sql: SqlClient, page: (after: readonly [string, string]) => Fragment) {
  let after: readonly [string, string] = ["", ""]
  const sum = { rows: 0, bytes: 0 }
  while (true) {
    const [found] = yield* sql`WITH page AS MATERIALIZED (${page(after)} LIMIT ${pageSize})
      SELECT COUNT(*) AS found, CAST(COALESCE(SUM(size), 0) AS bigint) AS bytes,
        (SELECT a FROM page ORDER BY a DESC, b DESC LIMIT 1) AS a, (SELECT b FROM page ORDER BY a DESC, b DESC LIMIT 1) AS b
      FROM page`.pipe(
      Row.all((row): Page => ({
        rows: Row.int(row, "found"),
        bytes: Row.int(row, "bytes"),
        last: [Row.orNull(Row.text, row, "a") ?? "", Row.orNull(Row.text, row, "b") ?? ""]
      }))
    )
    if (found === undefined) return sum
    sum.rows += found.rows
    sum.bytes += found.bytes
    if (found.rows < pageSize) return sum
    after = found.last
  }
})

/** Returns what a bucket uses, by its rows. */
export const sum = Effect.fnUntraced(function* (sql: SqlClient, bucketId: string) {
  const files = yield* addPages(
    sql,
    ([path, name]) => sql`SELECT path AS a, name AS b, size FROM file
      WHERE bucket_id = ${bucketId} AND (path, name) > (${path}, ${name}) ORDER BY path, name`
  )
  const segments = yield* addPages(
    sql,
    ([conversionId, name]) => sql`SELECT segment.conversion_id AS a, segment.name AS b, blob.size
      FROM conversion JOIN conversion_file segment ON segment.conversion_id = conversion.id
        JOIN blob ON blob.id = segment.blob_id
      WHERE conversion.bucket_id = ${bucketId} AND conversion.id >= ${conversionId}
        AND (segment.conversion_id, segment.name) > (${conversionId}, ${name})
      ORDER BY segment.conversion_id, segment.name`
  )
  const captions = yield* addPages(
    sql,
    ([
      blobId,
      id
    ]) => sql`SELECT blob_id AS a, id AS b, ${sql.literal(captionBytes((column) => column))} AS size FROM captions
      WHERE bucket_id = ${bucketId} AND (blob_id, id) > (${blobId}, ${id}) ORDER BY blob_id, id`
  )
  const posters = yield* addPages(
    sql,
    ([blobId]) => sql`SELECT blob_id AS a, '' AS b, ${sql.literal(posterBytes((column) => column))} AS size FROM poster
      WHERE bucket_id = ${bucketId} AND blob_id > ${blobId} ORDER BY blob_id`
  )
  // The uploads that run at a time are few.
  const [reservedBytes = 0] = yield* sql`SELECT CAST(COALESCE(SUM(reserved), 0) AS bigint) AS reserved FROM blob
    WHERE state = 'PENDING' AND due_at IS NOT NULL AND bucket_id = ${bucketId}`.pipe(
    Row.all((row) => Row.int(row, "reserved"))
  )
  return {
    files: files.rows,
    contentBytes: files.bytes,
    streamBytes: segments.bytes + captions.bytes + posters.bytes,
    reservedBytes
  } satisfies Usage
})
