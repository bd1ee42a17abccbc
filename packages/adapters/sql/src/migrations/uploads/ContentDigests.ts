/**
 * The table of composite contents whose digest is not known yet.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../../internal/Dialect.ts"
import * as Migration from "../Migration.ts"

const change = Effect.gen(function* () {
  const sql = yield* SqlClient
  // From `due_at` on a process may claim the content; while it is claimed, `due_at` is the end of the lease.
  yield* sql`CREATE TABLE content_digest (
    content_id ${textType(sql)} NOT NULL PRIMARY KEY,
    due_at bigint NOT NULL)`
  yield* sql`CREATE INDEX content_digest_due ON content_digest (due_at, content_id)`
})

export const contentDigests: ReadonlyArray<Migration.Step> = [Migration.change(change)]
