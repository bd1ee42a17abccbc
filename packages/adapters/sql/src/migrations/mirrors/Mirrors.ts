/**
 * Tables of mirrors, of their tasks, and of the objects at their targets.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../../internal/Dialect.ts"
import { mirrorTriggers } from "../../internal/migrations/MirrorTriggers.ts"

export const mirrors = Effect.gen(function* () {
  const sql = yield* SqlClient
  const text = textType(sql)

  // A removed mirror may outlive its bucket until its rows are deleted, so it has no foreign keys. While `filling` is 1, the
  // files after (`fill_path`, `fill_name`) still need tasks.
  yield* sql`CREATE TABLE mirror (
    id ${text} NOT NULL PRIMARY KEY,
    tenant_id ${text} NOT NULL,
    bucket_id ${text} NOT NULL,
    name ${text} NOT NULL,
    place ${text} NOT NULL,
    secret ${text} NOT NULL,
    revision bigint NOT NULL,
    target_bucket_id ${text},
    paused bigint NOT NULL,
    removed bigint NOT NULL,
    failures bigint NOT NULL,
    retry_at bigint NOT NULL,
    failing_since bigint,
    last_error ${text},
    filling bigint NOT NULL,
    fill_path ${text} NOT NULL,
    fill_name ${text} NOT NULL,
    sync_wanted bigint NOT NULL,
    sync_done bigint NOT NULL,
    sync_lease ${text},
    sync_until bigint NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL)`
  yield* sql`CREATE INDEX mirror_of_bucket ON mirror (bucket_id, id)`

  // A file, with its size in `bytes`, is pending while done < wanted. From `due_at` on a worker may claim the task; while the task
  // is leased, `due_at` is the end of the lease.
  yield* sql`CREATE TABLE mirror_task (
    mirror_id ${text} NOT NULL,
    file_id ${text} NOT NULL,
    bytes bigint NOT NULL,
    wanted bigint NOT NULL,
    done bigint NOT NULL,
    wanted_at bigint NOT NULL,
    due_at bigint NOT NULL,
    attempts bigint NOT NULL,
    lease ${text},
    error ${text},
    PRIMARY KEY (mirror_id, file_id))`
  yield* sql`CREATE INDEX mirror_task_due ON mirror_task (mirror_id, due_at) WHERE done < wanted`
  yield* sql`CREATE INDEX mirror_task_failed ON mirror_task (mirror_id, file_id) WHERE error IS NOT NULL`

  // An object that may exist at the target, and the one file that it belongs to. `sha256` is null while its bytes are unknown.
  // `seen` is the lease of the last reconciliation that listed it.
  yield* sql`CREATE TABLE mirror_object (
    mirror_id ${text} NOT NULL,
    name ${text} NOT NULL,
    file_id ${text} NOT NULL,
    sha256 ${text},
    size bigint,
    tag ${text},
    written_at bigint,
    seen ${text},
    PRIMARY KEY (mirror_id, name))`
  yield* sql`CREATE INDEX mirror_object_of_file ON mirror_object (mirror_id, file_id)`

  yield* mirrorTriggers
})
