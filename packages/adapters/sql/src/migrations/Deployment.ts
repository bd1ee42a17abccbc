/**
 * The table of what the database knows about its deployment: one row.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../internal/Dialect.ts"
import * as Migration from "./Migration.ts"

const createTable = Effect.gen(function* () {
  const sql = yield* SqlClient
  const text = textType(sql)

  // `store_id` is the identity of the blob store that belongs to the database.
  yield* sql`CREATE TABLE deployment (
    id bigint NOT NULL PRIMARY KEY CHECK (id = 1),
    store_id ${text} NOT NULL)`
})

export const deployment: ReadonlyArray<Migration.Step> = [Migration.change(createTable)]
