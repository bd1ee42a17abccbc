/**
 * Tables of conversions of video and audio.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../internal/Dialect.ts"

export const conversions = Effect.gen(function* () {
  const sql = yield* SqlClient
  const text = textType(sql)

  // A conversion belongs to a content, identified by `blob_id`. Its row is also its queue entry: from `due_at` on, a worker
  // may claim it; while it runs, that is when the lease expires. `attempt` is the fencing token, which every claim increases.
  // `tries` counts the attempts since the conversion was requested. `progress` is in millionths.
  yield* sql`CREATE TABLE conversion (
    id ${text} NOT NULL PRIMARY KEY,
    tenant_id ${text} NOT NULL,
    bucket_id ${text} NOT NULL,
    file_id ${text} NOT NULL,
    blob_id ${text} NOT NULL,
    format ${text} NOT NULL,
    mode ${text} NOT NULL,
    state ${text} NOT NULL CHECK (state IN ('QUEUED', 'RUNNING', 'READY', 'FAILED')),
    progress bigint NOT NULL,
    presentation ${text},
    fault_code ${text},
    fault_detail ${text},
    attempt bigint NOT NULL,
    tries bigint NOT NULL,
    due_at bigint,
    started_at bigint,
    finished_at bigint,
    CHECK ((state IN ('QUEUED', 'RUNNING')) = (due_at IS NOT NULL)),
    CHECK ((state = 'FAILED') = (fault_code IS NOT NULL)))`
  yield* sql`CREATE UNIQUE INDEX conversion_of_content ON conversion (blob_id, format)`
  yield* sql`CREATE INDEX conversion_due ON conversion (due_at, id) WHERE due_at IS NOT NULL`

  // A segment is a blob. A playlist is a text, because it changes while the conversion runs.
  yield* sql`CREATE TABLE conversion_file (
    conversion_id ${text} NOT NULL REFERENCES conversion (id),
    name ${text} NOT NULL,
    blob_id ${text},
    playlist ${text},
    PRIMARY KEY (conversion_id, name),
    CHECK ((blob_id IS NULL) <> (playlist IS NULL)))`
  yield* sql`CREATE UNIQUE INDEX conversion_file_blob ON conversion_file (blob_id) WHERE blob_id IS NOT NULL`
})
