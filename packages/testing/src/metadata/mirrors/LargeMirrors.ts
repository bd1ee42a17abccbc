/**
 * Buckets with very many files, inserted directly into the database, and their mirrors; and the statements of mirrors that must
 * not read all of those rows.
 */
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { MirrorFileState } from "@holdfast/core/mirrors/Mirror"
import { MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import { MirrorTaskRepository } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Sample from "../Sample.ts"
import * as Statements from "../Statements.ts"
import * as Fixtures from "../Fixtures.ts"
import * as MirrorFixtures from "./MirrorFixtures.ts"

/** Inserts rows of files with content, but no blobs. */
const insertFiles = ({ bucketId, tenantId }: BucketRef, count: number) =>
  Effect.flatMap(
    SqlClient,
    (sql) => sql`INSERT INTO file (id, tenant_id, bucket_id, path, name, version, metadata, headers, created_at,
        updated_at, blob_id, size, sha256, etag, content_type, type, stored_at)
      WITH RECURSIVE s (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < CAST(${count} AS bigint))
      SELECT 'fil_' || ${bucketId} || i, CAST(${tenantId} AS text), CAST(${bucketId} AS text), '/' || (i % 3) || '/',
        'file ' || i, 1, '{}', '[]', 0, 0, 'blb_' || ${bucketId} || i, 10, ${Sample.hash()}, 'e', 'text/plain', 'OTHER', 0
      FROM s`
  )

/** Creates a bucket with this many files and a mirror. All files are pending; the last tenth has no tasks yet. */
export const make = Effect.fnUntraced(function* (count: number) {
  const bucket = yield* Fixtures.bucket()
  yield* insertFiles(bucket, count)
  const made = MirrorFixtures.newMirror(bucket)
  yield* (yield* MirrorRepository).create(made)
  const tasks = yield* MirrorTaskRepository
  const limit = Math.floor(count / 10)
  for (let batch = 0; batch < 9; batch++) yield* tasks.createTasks({ mirrorId: made.id, limit, now: Sample.at() })
  const { mirror } = yield* MirrorFixtures.get(bucket, made.id)
  return { bucket, mirror }
})

/** Records the statements of an effect whose changes are undone. */
const recordUndone = <E, R>(self: Effect.Effect<unknown, E, R>) =>
  Effect.flatMap(SqlClient, (sql) =>
    Statements.record(Effect.ignore(sql.withTransaction(Effect.andThen(self, Effect.fail("undone" as const)))))
  )

/** Records the statements that a worker and the API run again and again. */
export const statements = Effect.fnUntraced(function* ({ bucket, mirror }: Effect.Success<ReturnType<typeof make>>) {
  const [mirrors, tasks] = [yield* MirrorRepository, yield* MirrorTaskRepository]
  const now = Sample.at(1000)
  const leaseUntil = Sample.at(31_000)
  const claim = Effect.suspend(() => tasks.claim({ mirror, limit: 8, lease: Sample.word(), leaseUntil, now }))
  const leases = yield* claim
  const files = (state: MirrorFileState) =>
    Statements.record(mirrors.files({ mirrorId: mirror.id, state, after: undefined, limit: 10 }))
  const ref = { ...bucket, mirrorId: mirror.id }
  return {
    due: yield* Statements.record(tasks.due({ after: "", limit: 100, now })),
    claim: yield* Statements.record(claim),
    renew: yield* Statements.record(tasks.renew({ leases, leaseUntil: Sample.at(40_000), now })),
    complete: yield* Statements.record(MirrorFixtures.succeed(leases)),
    filesPending: yield* files("PENDING"),
    filesFailed: yield* files("FAILED"),
    filesCopied: yield* files("COPIED"),
    update: yield* Statements.record(mirrors.update({ mirror: ref, change: { paused: false }, now })),
    retryTasks: yield* Statements.record(
      Effect.andThen(
        mirrors.update({ mirror: ref, change: { paused: false }, now: Sample.at(-1_000_000) }),
        tasks.retryTasks({ mirrorId: mirror.id, limit: 20 })
      )
    ),
    createTasks: yield* Statements.record(tasks.createTasks({ mirrorId: mirror.id, limit: 20, now })),
    find: yield* Statements.record(mirrors.find(ref, now)),
    markMissing: yield* recordUndone(
      Effect.gen(function* () {
        const reconciliation = { mirrorId: mirror.id, lease: Sample.word(), startedAt: now }
        yield* mirrors.requestSync(ref, now)
        yield* tasks.claimReconciliation({ reconciliation, leaseUntil })
        yield* tasks.markMissing({ reconciliation, after: null, limit: 20, now })
      })
    ),
    clearRemoved: yield* recordUndone(
      Effect.andThen(mirrors.remove(ref), tasks.clearRemoved({ mirrorId: mirror.id, limit: 20 }))
    )
  }
})
