/**
 * How often the password of a share was set, changed or removed, so that the links that were given before end. Nodes of the former version
 * do not count a change, and do not know the links of a share that has one.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Migration from "../Migration.ts"

const addColumn = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`ALTER TABLE share ADD COLUMN password_version bigint NOT NULL DEFAULT 0`
})

export const sharePasswords: ReadonlyArray<Migration.Step> = [Migration.change(addColumn)]
