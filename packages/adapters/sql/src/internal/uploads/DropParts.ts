/**
 * Dooms the parts of contents and uploads that are gone.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { among } from "../Dialect.ts"
import * as Row from "../Row.ts"
import { transaction } from "../../Transaction.ts"

/** Parts that one transaction dooms: a content may have 10,000 of them. */
const batchSize = 500

/** Dooms the parts of those of the blobs that are not READY. Runs a transaction for each batch. */
export const dropParts = Effect.fnUntraced(function* (sql: SqlClient, blobIds: ReadonlyArray<string>) {
  while (true) {
    const parts =
      yield* sql`SELECT blob_part.blob_id FROM blob_part JOIN blob AS content ON content.id = blob_part.content_id
      WHERE ${among(sql, "blob_part.content_id", blobIds)} AND content.state <> 'READY' LIMIT ${batchSize}`.pipe(
        Row.all((row) => Row.text(row, "blob_id"))
      )
    if (parts.length === 0) return
    yield* transaction(sql)(
      Effect.andThen(
        sql`UPDATE blob SET state = 'DOOMED', due_at = 0 WHERE ${among(sql, "id", parts)} AND state = 'READY'`,
        sql`DELETE FROM blob_part WHERE ${among(sql, "blob_id", parts)}`
      )
    )
  }
})
