/**
 * The upload link or share that permits an upload in parts, so that its open uploads are counted without reading their terms. Nodes of
 * the former version do not count them and write none.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../../internal/Dialect.ts"
import * as Migration from "../Migration.ts"

const addColumn = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`ALTER TABLE upload ADD COLUMN link ${textType(sql)}`
})

export const uploadLinks: ReadonlyArray<Migration.Step> = [
  Migration.change(addColumn),
  Migration.index({ name: "upload_of_link", on: "upload (tenant_id, link) WHERE state = 'OPEN' AND link IS NOT NULL" })
]
