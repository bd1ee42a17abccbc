/**
 * Creates a mirror.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { NotFound } from "@holdfast/core/Errors"
import { MirrorLoop } from "@holdfast/core/mirrors/MirrorErrors"
import type { NewMirror } from "@holdfast/core/mirrors/MirrorRepository"
import { isOpenBucket } from "../buckets/OpenBucket.ts"
import { lock, millis } from "../Dialect.ts"
import { record } from "../events/RecordEvent.ts"
import * as Creators from "../members/Creators.ts"
import * as Counted from "../quotas/Counted.ts"
import { noteRefusal } from "../quotas/ReachedLimits.ts"
import { requireRoom } from "../quotas/RequireRoom.ts"
import { transaction } from "../../Transaction.ts"
import { mirrorEvent } from "./MirrorEvents.ts"
import { encodePlace, lockWriters } from "./MirrorRow.ts"

/** Selects the bucket `to` when mirrors lead to it from the bucket `from`, or when both are the same. */
const selectIfReached = (sql: SqlClient, from: string, to: string) => {
  const collation = sql.onDialectOrElse({ pg: () => ` COLLATE "C"`, orElse: () => "" })
  return sql`WITH RECURSIVE reached (id) AS (
      SELECT CAST(${from} AS text)${sql.literal(collation)}
      UNION
      SELECT mirror.target_bucket_id FROM mirror JOIN reached ON reached.id = mirror.bucket_id
      WHERE mirror.removed = 0 AND mirror.target_bucket_id IS NOT NULL)
    SELECT id FROM reached WHERE id = ${to}`
}

/**
 * Fails when a mirror from `source` to `target` would close a loop. The lock makes the creation of mirrors between buckets
 * sequential, so that two of them never close a loop together.
 */
const refuseLoop = Effect.fnUntraced(function* (sql: SqlClient, target: string, source: string) {
  yield* sql.onDialectOrElse({
    pg: () => sql`SELECT pg_advisory_xact_lock(hashtextextended('mirrors between buckets', 0))`,
    orElse: () => Effect.void
  })
  if ((yield* selectIfReached(sql, target, source)).length > 0) return yield* new MirrorLoop()
})

/**
 * Inserts a mirror. Locks its creator and the bucket first and the bucket's writers last. Once the mirror is committed, every
 * later writer sees it, and every earlier writer has committed. So `createTasks` only has to find the files of that time, and
 * needs no lock.
 */
export const createMirror = (sql: SqlClient, mirror: NewMirror) =>
  Effect.gen(function* () {
    const { address } = mirror
    const target = address.type === "TENANT_BUCKET" ? address.serviceBucketId : null
    const { createdBy, tenantId } = mirror
    const creator = Creators.toColumns(createdBy)
    yield* requireRoom(sql, tenantId, ({ mirrors }) => [
      { limit: "mirrors", maximum: mirrors, rows: Counted.mirrors(sql, tenantId) }
    ])
    yield* Creators.lockCreator(sql, { tenantId, createdBy, others: [], at: mirror.at })
    const found = yield* sql`SELECT id FROM bucket
      WHERE ${isOpenBucket(sql, mirror)} ${lock(sql, "FOR KEY SHARE")}`
    if (found.length === 0) return yield* new NotFound({ resource: "bucket" })
    if (target !== null) yield* refuseLoop(sql, target, mirror.bucketId)
    yield* lockWriters(sql, sql`${mirror.bucketId}`)
    const at = millis(mirror.at)
    yield* sql`INSERT INTO mirror (id, tenant_id, bucket_id, name, place, secret, revision, target_bucket_id, paused,
        removed, failures, retry_at, filling, fill_path, fill_name, sync_wanted, sync_done, sync_until,
        created_by, created_with, created_at, updated_at)
      VALUES (${mirror.id}, ${mirror.tenantId}, ${mirror.bucketId}, ${mirror.name}, ${encodePlace(address)},
        ${mirror.secret}, 1, ${target}, 0, 0, 0, 0, 1, '', '', 0, 0, 0,
        ${creator.created_by}, ${creator.created_with}, ${at}, ${at})`
    yield* Creators.recordCreation(sql, { tenantId, resourceId: mirror.id, createdBy })
    yield* record(sql, mirrorEvent("mirror.created", mirror, { type: address.type }))
  }).pipe(transaction(sql), noteRefusal(sql, mirror.tenantId))
