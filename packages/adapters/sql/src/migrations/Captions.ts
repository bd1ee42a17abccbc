/**
 * Captions that are attached to contents.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../internal/Dialect.ts"
import * as Migration from "./Migration.ts"

const change = Effect.gen(function* () {
  const sql = yield* SqlClient
  const text = textType(sql)

  // Captions belong to a content, identified by `blob_id`, as conversions do.
  yield* sql`CREATE TABLE captions (
    id ${text} NOT NULL PRIMARY KEY,
    tenant_id ${text} NOT NULL,
    bucket_id ${text} NOT NULL,
    file_id ${text} NOT NULL,
    blob_id ${text} NOT NULL,
    language ${text} NOT NULL,
    label ${text} NOT NULL,
    cues ${text} NOT NULL,
    created_at bigint NOT NULL)`
  yield* sql`CREATE INDEX captions_content ON captions (blob_id, id)`
})

export const captions: ReadonlyArray<Migration.Step> = [Migration.change(change)]
