/**
 * The client that created an upload in parts by a link or share, so that the clients of one link share its places. Nodes of the former
 * version write none.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../../internal/Dialect.ts"
import * as Migration from "../Migration.ts"

const addColumn = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`ALTER TABLE upload ADD COLUMN client ${textType(sql)}`
})

export const uploadClients: ReadonlyArray<Migration.Step> = [Migration.change(addColumn)]
