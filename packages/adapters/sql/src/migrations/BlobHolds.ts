/**
 * The table of holds: while one lasts, no blob is swept.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../internal/Dialect.ts"
import * as Migration from "./Migration.ts"

const createTable = Effect.flatMap(
  SqlClient,
  (sql) => sql`CREATE TABLE blob_hold (id ${textType(sql)} NOT NULL PRIMARY KEY, held_until bigint NOT NULL)`
)

export const blobHolds: ReadonlyArray<Migration.Step> = [Migration.change(createTable)]
