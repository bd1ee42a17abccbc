/**
 * The table of calls of hooks that run after changes.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../../internal/Dialect.ts"
import * as Migration from "../Migration.ts"

const createTables = Effect.gen(function* () {
  const sql = yield* SqlClient
  const text = textType(sql)

  // A row is written in the transaction of the change and deleted after the call. It has what the call needs of its event, which may be
  // deleted earlier. A claim sets `due_at` to the end of its lease.
  yield* sql`CREATE TABLE hook_task (
    id ${text} NOT NULL PRIMARY KEY,
    tenant_id ${text} NOT NULL,
    action ${text} NOT NULL,
    actor ${text} NOT NULL,
    account_id ${text},
    token_id ${text},
    target_id ${text},
    target_name ${text},
    bucket_id ${text},
    detail ${text} NOT NULL,
    attempts bigint NOT NULL DEFAULT 0,
    due_at bigint NOT NULL DEFAULT 0)`
  yield* sql`CREATE INDEX hook_task_due ON hook_task (due_at, id)`
})

export const hookTasks: ReadonlyArray<Migration.Step> = [Migration.change(createTables)]
