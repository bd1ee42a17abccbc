/**
 * A bucket with many files, for tests of the query plans of lists.
 */
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Fixtures from "../Fixtures.ts"

/** Creates a bucket with `count` files in the folders `/0/below/`, `/1/below/` and `/2/below/`. */
export const create = Effect.fnUntraced(function* (count: number) {
  const sql = yield* SqlClient
  const bucket = yield* Fixtures.bucket()
  yield* sql`WITH RECURSIVE s (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < CAST(${count} AS integer))
    INSERT INTO file (id, tenant_id, bucket_id, path, name, version, metadata, headers, created_at, updated_at)
    SELECT 'fil_' || i, ${bucket.tenantId}, ${bucket.bucketId}, '/' || (i % 3) || '/below/', i, 0, '{}', '[]', 0, 0 FROM s`
  return bucket
})

/** Returns lists by every filter, which match no file of the bucket, or files without content when `name` is undefined. */
export const filters = (bucket: BucketRef, limit: number) =>
  Effect.map(FileRepository, (files) =>
    [{ type: "VIDEO" as const }, { state: "READY" as const }, { state: "RESERVED" as const, name: "x" }, { name: "x" }]
      .flatMap((filter) => [
        { path: "/", recursive: true, ...filter },
        { path: "/1/below/", recursive: false, ...filter }
      ])
      .map((query) => files.list({ bucket, query, limit }))
  )

/** Returns lists of the bucket of every kind: recursive, of one folder, after a position, with a name prefix. */
export const lists = Effect.fnUntraced(function* (bucket: BucketRef, limit: number) {
  const files = yield* FileRepository
  const all = { path: "/", recursive: true }
  const folder = { path: "/1/below/", recursive: false }
  const after = { path: "/1/below/", name: "5" }
  return [
    files.list({ bucket, query: all, limit }),
    files.list({ bucket, query: all, after, limit }),
    files.list({ bucket, query: folder, after, limit }),
    files.list({ bucket, query: { ...folder, name: "77" }, limit })
  ]
})

/** Creates a bucket with `count` files in the same folders, with contents as far as lists of keys read them. */
export const createContents = Effect.fnUntraced(function* (count: number) {
  const sql = yield* SqlClient
  const bucket = yield* Fixtures.bucket()
  yield* sql`WITH RECURSIVE s (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < CAST(${count} AS integer))
    INSERT INTO file (id, tenant_id, bucket_id, path, name, version, metadata, headers, created_at, updated_at, blob_id, size,
      sha256, etag, content_type, type, stored_at)
    SELECT 'fil_key_' || i, ${bucket.tenantId}, ${bucket.bucketId}, '/' || (i % 3) || '/below/', i, 1, '{}', '[]', 0, 0,
      'blb_' || i, 1, 'x', 'x', 'text/plain', 'OTHER', 0 FROM s`
  return bucket
})

/** Returns lists of the bucket's keys of every kind: with and without a prefix, a position and a delimiter. */
export const keyLists = (bucket: BucketRef, limit: number) =>
  Effect.map(FileRepository, (files) =>
    ["", "1/below/"].flatMap((prefix) =>
      [undefined, "1/below/5"].flatMap((after) =>
        [undefined, "/", "5"].map((delimiter) => files.listKeys({ bucket, prefix, after, delimiter, limit }))
      )
    )
  )
