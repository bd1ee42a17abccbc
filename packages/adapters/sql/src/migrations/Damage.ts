/**
 * The tables of damaged blobs and of scrubs.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../internal/Dialect.ts"
import * as Migration from "./Migration.ts"

const change = Effect.gen(function* () {
  const sql = yield* SqlClient
  const text = textType(sql)

  // The damaged blobs that are not repaired. From `due_at` on a process may claim the repair; while it is claimed, `due_at` is the
  // end of the lease.
  yield* sql`CREATE TABLE damage (
    blob_id ${text} NOT NULL PRIMARY KEY,
    kind ${text} NOT NULL CHECK (kind IN ('Missing', 'WrongSize', 'Damaged')),
    found_at bigint NOT NULL,
    due_at bigint NOT NULL,
    attempts bigint NOT NULL)`
  yield* sql`CREATE INDEX damage_due ON damage (due_at, blob_id)`

  // The damaged blob of the file, so that a read finds it in the file's own row. It counts while it is the file's blob: a new
  // content of the file is not damaged.
  yield* sql`ALTER TABLE file ADD COLUMN damaged_blob ${text}`

  // One row for each kind of scrub. The blobs up to `position` are read. `finished_at` is null while a scrub is incomplete.
  yield* sql`CREATE TABLE scrub (
    name ${text} NOT NULL PRIMARY KEY,
    position ${text} NOT NULL,
    started_at bigint NOT NULL,
    finished_at bigint,
    blobs bigint NOT NULL,
    bytes bigint NOT NULL,
    damaged bigint NOT NULL,
    lease ${text},
    lease_until bigint NOT NULL)`
})

export const damage: ReadonlyArray<Migration.Step> = [Migration.change(change)]
