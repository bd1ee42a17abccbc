/**
 * Mirrors, in SQL.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import { type MirrorChange, MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { millis } from "../Dialect.ts"
import { inBucket } from "../files/FileRow.ts"
import { operation } from "../SqlFailure.ts"
import { transaction } from "../Transaction.ts"
import { backlog } from "./QueueDepth.ts"
import { counted } from "./MirrorCounts.ts"
import { createMirror } from "./CreateMirror.ts"
import { listMirrorFiles } from "./ListMirrorFiles.ts"
import { columns, encodePlace, toMirror } from "./MirrorRow.ts"
import { hurry } from "./worker/MirrorTasks.ts"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const all = sql.literal(`${columns}, mirror.filling, mirror.sync_wanted, mirror.sync_done`)
  const isThere = (rows: ReadonlyArray<unknown>): boolean => rows.length > 0

  const named = (bucket: BucketRef, mirrorId: string) =>
    sql`id = ${mirrorId} AND ${inBucket(sql, bucket)} AND removed = 0`

  const update = Effect.fnUntraced(function* (bucket: BucketRef, mirrorId: string, change: MirrorChange, at: number) {
    const { credentials, name, paused } = change
    // What was wrong with the mirror may be so no more.
    const isFresh = credentials !== undefined || paused === false
    const changed = yield* sql`UPDATE mirror SET ${sql.update({
      updated_at: at,
      ...(name === undefined ? undefined : { name }),
      ...(paused === undefined ? undefined : { paused: paused ? 1 : 0 }),
      ...(credentials === undefined
        ? undefined
        : { place: encodePlace(credentials.address), secret: credentials.secret }),
      ...(isFresh ? { failures: 0, retry_at: 0, failing_since: null, last_error: null } : undefined)
    })}, revision = revision + ${credentials === undefined ? 0 : 1} WHERE ${named(bucket, mirrorId)} RETURNING id`
    if (!isThere(changed)) return false
    if (isFresh) yield* hurry(sql, mirrorId, at, "ALL")
    return true
  })

  return MirrorRepository.of({
    create: (mirror) => createMirror(sql, mirror).pipe(operation("mirrors.create")),

    find: (bucket, mirrorId, at) =>
      sql`SELECT ${all} FROM mirror WHERE ${named(bucket, mirrorId)}`.pipe(
        Effect.flatMap((rows) => counted(sql, rows, at, toMirror)),
        Effect.map(([found]) => Option.fromUndefinedOr(found)),
        operation("mirrors.find")
      ),

    list: (bucket, after, limit, at) =>
      sql`SELECT ${all} FROM mirror WHERE ${inBucket(sql, bucket)} AND id > ${after ?? ""} AND removed = 0
        ORDER BY id LIMIT ${limit}`.pipe(
        Effect.flatMap((rows) => counted(sql, rows, at, toMirror)),
        operation("mirrors.list")
      ),

    update: (bucket, mirrorId, change, at) =>
      update(bucket, mirrorId, change, millis(at)).pipe(transaction(sql), operation("mirrors.update")),

    remove: (bucket, mirrorId) =>
      sql`UPDATE mirror SET removed = 1 WHERE ${named(bucket, mirrorId)} RETURNING id`.pipe(
        Effect.map(isThere),
        operation("mirrors.remove")
      ),

    requestSync: (bucket, mirrorId, at) =>
      Effect.gen(function* () {
        const asked = yield* sql`UPDATE mirror SET sync_wanted = sync_wanted + 1, retry_at = 0
          WHERE ${named(bucket, mirrorId)} RETURNING id`
        if (!isThere(asked)) return false
        yield* hurry(sql, mirrorId, millis(at), "ALL")
        return true
      }).pipe(transaction(sql), operation("mirrors.requestSync")),

    files: (mirrorId, state, after, limit) =>
      listMirrorFiles(sql, mirrorId, state, after, limit).pipe(operation("mirrors.files")),

    queueDepth: (limit) => backlog(sql, limit).pipe(operation("mirrors.backlog")),

    reseal: (mirrorId, former, fresh) =>
      sql`UPDATE mirror SET secret = ${fresh} WHERE id = ${mirrorId} AND secret = ${former}`.pipe(
        Effect.asVoid,
        operation("mirrors.reseal")
      )
  })
})

export const layer: Layer.Layer<MirrorRepository, never, SqlClient> = Layer.effect(MirrorRepository, make)
