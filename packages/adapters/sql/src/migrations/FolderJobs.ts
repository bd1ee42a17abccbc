/**
 * The table of folder jobs: moves and removals of large folders, which a worker finishes in steps.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../internal/Dialect.ts"
import * as Migration from "./Migration.ts"

const createTable = Effect.gen(function* () {
  const sql = yield* SqlClient
  const text = textType(sql)
  // From `due_at` on a worker may claim a running job; while it is leased, `due_at` is the end of the lease. The files up to
  // (`at_path`, `at_name`) were visited. Rows of a bucket are bounded, so that the bucket can be deleted with them.
  yield* sql`CREATE TABLE folder_job (
    id ${text} NOT NULL PRIMARY KEY,
    tenant_id ${text} NOT NULL,
    bucket_id ${text} NOT NULL,
    kind ${text} NOT NULL,
    path ${text} NOT NULL,
    to_path ${text},
    on_conflict ${text} NOT NULL,
    state ${text} NOT NULL,
    files bigint NOT NULL,
    error_code ${text},
    error_detail ${text},
    actor ${text} NOT NULL,
    account_id ${text},
    token_id ${text},
    at_path ${text} NOT NULL,
    at_name ${text} NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    due_at bigint,
    lease ${text},
    FOREIGN KEY (tenant_id, bucket_id) REFERENCES bucket (tenant_id, id) ON DELETE CASCADE)`
  yield* sql`CREATE INDEX folder_job_due ON folder_job (due_at, id) WHERE due_at IS NOT NULL`
  yield* sql`CREATE INDEX folder_job_bucket ON folder_job (tenant_id, bucket_id, id)`
})

export const folderJobs: ReadonlyArray<Migration.Step> = [Migration.change(createTable)]
