/**
 * Buckets with very many files, and mirrors of them, straight in the database; and the statements of mirrors that must not
 * read all of that.
 */
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import { MirrorTaskRepository } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Mirrors from "./Mirrors.ts"
import * as Sample from "../Sample.ts"
import * as Statements from "../Statements.ts"
import * as Fixtures from "../Fixtures.ts"

/** Rows of files with content, whose blobs are not there. */
const files = ({ bucketId, tenantId }: BucketRef, count: number) =>
  Effect.flatMap(
    SqlClient,
    (sql) => sql`INSERT INTO file (id, tenant_id, bucket_id, path, name, version, metadata, headers, created_at,
        updated_at, blob_id, size, sha256, etag, content_type, type, stored_at)
      WITH RECURSIVE s (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < CAST(${count} AS bigint))
      SELECT 'fil_' || ${bucketId} || i, CAST(${tenantId} AS text), CAST(${bucketId} AS text), '/' || (i % 3) || '/',
        'file ' || i, 1, '{}', '[]', 0, 0, 'blb_' || ${bucketId} || i, 10, ${Sample.hash()}, 'e', 'text/plain', 'OTHER', 0
      FROM s`
  )

/** A bucket of so many files, all of which are pending for its mirror, but for the last tenth, which is not filled in yet. */
export const make = Effect.fnUntraced(function* (count: number) {
  const bucket = yield* Fixtures.bucket()
  yield* files(bucket, count)
  const made = Mirrors.fresh(bucket)
  yield* (yield* MirrorRepository).create(made)
  const tasks = yield* MirrorTaskRepository
  const step = Math.floor(count / 10)
  for (let part = 0; part < 9; part++) yield* tasks.fill(made.id, step, Sample.at())
  const { mirror } = yield* Mirrors.find(bucket, made.id)
  return { bucket, mirror }
})

/** What a worker does all the time: looks, claims, settles, prolongs; and fills in. */
export const statements = Effect.fnUntraced(function* ({ bucket, mirror }: Effect.Success<ReturnType<typeof make>>) {
  const tasks = yield* MirrorTaskRepository
  const at = Sample.at(1000)
  const claimed = yield* tasks.claim(mirror, 8, Sample.word(), at, Sample.at(31_000))
  return {
    due: yield* Statements.record(tasks.due(at, "", 100)),
    claim: yield* Statements.record(tasks.claim(mirror, 8, Sample.word(), at, Sample.at(31_000))),
    renew: yield* Statements.record(tasks.renew(claimed, Sample.at(40_000))),
    settle: yield* Statements.record(Mirrors.settle(claimed.map((task) => Mirrors.done(task)))),
    files: yield* Statements.record((yield* MirrorRepository).files(mirror.id, "FAILED", undefined, 10)),
    fill: yield* Statements.record(tasks.fill(mirror.id, 20, at)),
    find: yield* Statements.record((yield* MirrorRepository).find(bucket, mirror.id, at))
  }
})
