/**
 * MirrorRepository on SQL.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import { type MirrorChange, type MirrorRef, MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import { millis } from "../Dialect.ts"
import { inBucket } from "../files/FileRow.ts"
import { changedFields, record, recordFound } from "../events/RecordEvent.ts"
import * as Row from "../Row.ts"
import { operation } from "../../SqlFailure.ts"
import { transaction } from "../../Transaction.ts"
import { createMirror } from "./CreateMirror.ts"
import { listMirrorFiles } from "./ListMirrorFiles.ts"
import { toCountedMirrors } from "./MirrorCounts.ts"
import { mirrorEvent, namedColumns, toNamed } from "./MirrorEvents.ts"
import { columns, encodePlace } from "./MirrorRow.ts"
import { queueDepth } from "./QueueDepth.ts"
import { requestRetries } from "./worker/RetryTasks.ts"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const countedColumns = sql.literal(
    `${columns}, mirror.filling, mirror.fill_path, mirror.fill_name, mirror.sync_wanted, mirror.sync_done`
  )

  const returnsNamed = sql.literal(`RETURNING ${namedColumns}`)

  const isMirror = (ref: MirrorRef) => sql`id = ${ref.mirrorId} AND ${inBucket(sql, ref)} AND removed = 0`

  const update = Effect.fnUntraced(function* (ref: MirrorRef, change: MirrorChange, now: number) {
    const { credentials, name, paused } = change
    // New credentials, and resuming, may have ended the cause of a failure.
    const isRetried = credentials !== undefined || paused === false
    const updated = yield* sql`UPDATE mirror SET ${sql.update({
      updated_at: now,
      ...(name === undefined ? undefined : { name }),
      ...(paused === undefined ? undefined : { paused: paused ? 1 : 0 }),
      ...(credentials === undefined
        ? undefined
        : { place: encodePlace(credentials.address), secret: credentials.secret }),
      ...(isRetried ? { failures: 0, retry_at: 0, failing_since: null, last_error: null } : undefined)
    })}, revision = revision + ${credentials === undefined ? 0 : 1} WHERE ${isMirror(ref)} ${returnsNamed}`.pipe(
      Row.first(toNamed)
    )
    if (Option.isNone(updated)) return false
    yield* record(sql, mirrorEvent("mirror.updated", updated.value, changedFields(change)))
    if (isRetried) yield* requestRetries(sql, { mirrorId: ref.mirrorId, now, which: "ALL" })
    return true
  })

  const requestSync = Effect.fnUntraced(function* (ref: MirrorRef, now: number) {
    const updated = yield* sql`UPDATE mirror SET sync_wanted = sync_wanted + 1, retry_at = 0
      WHERE ${isMirror(ref)} ${returnsNamed}`.pipe(Row.first(toNamed))
    if (Option.isNone(updated)) return false
    yield* record(sql, mirrorEvent("mirror.requested", updated.value))
    yield* requestRetries(sql, { mirrorId: ref.mirrorId, now, which: "ALL" })
    return true
  })

  return MirrorRepository.of({
    create: (mirror) => createMirror(sql, mirror).pipe(operation("mirrors.create")),

    find: (ref, now) =>
      sql`SELECT ${countedColumns} FROM mirror WHERE ${isMirror(ref)}`.pipe(
        Effect.flatMap((rows) => toCountedMirrors(sql, rows, now)),
        Effect.map(([found]) => Option.fromUndefinedOr(found)),
        operation("mirrors.find")
      ),

    list: ({ after, bucket, limit, now }) =>
      sql`SELECT ${countedColumns} FROM mirror WHERE ${inBucket(sql, bucket)} AND id > ${after ?? ""} AND removed = 0
        ORDER BY id LIMIT ${limit}`.pipe(
        Effect.flatMap((rows) => toCountedMirrors(sql, rows, now)),
        operation("mirrors.list")
      ),

    update: ({ change, mirror, now }) =>
      update(mirror, change, millis(now)).pipe(transaction(sql), operation("mirrors.update")),

    remove: (ref) =>
      sql`UPDATE mirror SET removed = 1 WHERE ${isMirror(ref)} ${returnsNamed}`.pipe(
        Row.first(toNamed),
        recordFound(sql, (removed) => mirrorEvent("mirror.deleted", removed)),
        Effect.map(Option.isSome),
        transaction(sql),
        operation("mirrors.remove")
      ),

    requestSync: (ref, now) => requestSync(ref, millis(now)).pipe(transaction(sql), operation("mirrors.requestSync")),

    files: (input) => listMirrorFiles(sql, input).pipe(operation("mirrors.files")),

    queueDepth: (limit) => queueDepth(sql, limit).pipe(operation("mirrors.queueDepth"))
  })
})

export const layer: Layer.Layer<MirrorRepository, never, SqlClient> = Layer.effect(MirrorRepository, make)
