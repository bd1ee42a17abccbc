/**
 * The file whose content an upload in parts replaces: the upload reserves only by how much its content is larger. Nodes of the former
 * version reserve the bytes of all parts, and write none.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../../internal/Dialect.ts"
import * as Migration from "../Migration.ts"

const addColumn = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`ALTER TABLE upload ADD COLUMN replaced_file_id ${textType(sql)}`
})

export const replacingUploads: ReadonlyArray<Migration.Step> = [
  Migration.change(addColumn),
  Migration.index({
    name: "upload_of_replaced_file",
    on: "upload (replaced_file_id) WHERE state = 'OPEN' AND replaced_file_id IS NOT NULL"
  })
]
