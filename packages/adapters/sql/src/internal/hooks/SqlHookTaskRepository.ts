/**
 * The HookTaskRepository in SQL.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import { SqlClient } from "effect/sql/SqlClient"
import { ActorKind, type Detail } from "@holdfast/core/events/Event"
import { FileHooks, hookedActions } from "@holdfast/core/files/hooks/FileHooks"
import { type HookTask, HookTaskRepository } from "@holdfast/core/files/hooks/HookTaskRepository"
import * as Ids from "@holdfast/core/Ids"
import * as Reads from "../../Reads.ts"
import { operation } from "../../SqlFailure.ts"
import { among, millis, skipLocked } from "../Dialect.ts"
import { queueHooks } from "../events/RecordEvent.ts"
import * as Row from "../Row.ts"

const isDetail = (value: unknown): value is Detail => Predicate.isObject(value)

const toTask: Row.FromRow<HookTask> = (row) => {
  const id = Row.text(row, "id")
  return {
    id,
    at: DateTime.makeUnsafe(Ids.createdAt(id)),
    tenantId: Row.text(row, "tenant_id"),
    bucketId: Row.orNull(Row.text, row, "bucket_id"),
    action: Row.text(row, "action"),
    actor: {
      kind: Row.oneOf(ActorKind.literals, row, "actor"),
      accountId: Row.orNull(Row.text, row, "account_id"),
      tokenId: Row.orNull(Row.text, row, "token_id")
    },
    fileId: Row.orNull(Row.text, row, "target_id"),
    name: Row.orNull(Row.text, row, "target_name"),
    detail: Row.json(isDetail, row, "detail"),
    attempts: Row.int(row, "attempts")
  }
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const poll = yield* Reads.makePolls(sql)
  queueHooks(sql, hookedActions(yield* FileHooks))
  return HookTaskRepository.of({
    claim: ({ leaseUntil, limit, now }) => {
      const due = (client: SqlClient) =>
        client`SELECT id FROM hook_task WHERE due_at <= ${millis(now)} ORDER BY due_at, id LIMIT ${limit}`
      // Selects before it writes: mostly no task is due, and a write on SQLite blocks all writers.
      return Effect.flatMap(poll(due), (rows) =>
        rows.length === 0
          ? Effect.succeed([])
          : sql`UPDATE hook_task SET attempts = attempts + 1, due_at = ${millis(leaseUntil)}
              WHERE id IN (${due(sql)} ${skipLocked(sql)})
              RETURNING id, tenant_id, action, actor, account_id, token_id, target_id, target_name, bucket_id, detail,
                attempts`.pipe(Row.all(toTask))
      ).pipe(operation("hookTasks.claim"))
    },
    complete: (ids) =>
      sql`DELETE FROM hook_task WHERE ${among(sql, "id", ids)}`.pipe(Effect.asVoid, operation("hookTasks.complete")),
    retry: ({ dueAt, id }) =>
      sql`UPDATE hook_task SET due_at = ${millis(dueAt)} WHERE id = ${id}`.pipe(
        Effect.asVoid,
        operation("hookTasks.retry")
      )
  })
})

export const layer: Layer.Layer<HookTaskRepository, never, SqlClient> = Layer.effect(HookTaskRepository, make)
