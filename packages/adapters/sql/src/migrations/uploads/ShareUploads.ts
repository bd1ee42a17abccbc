/**
 * The share by which an upload in parts was created, with the files and bytes that the open upload counts within the caps of the share.
 * Nodes of the former version write none, and count an upload when it is completed.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../../internal/Dialect.ts"
import * as Migration from "../Migration.ts"

const addColumns = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`ALTER TABLE upload ADD COLUMN share_id ${textType(sql)}`
  yield* sql`ALTER TABLE upload ADD COLUMN share_files bigint`
  yield* sql`ALTER TABLE upload ADD COLUMN share_bytes bigint`
})

export const shareUploads: ReadonlyArray<Migration.Step> = [
  Migration.change(addColumns),
  Migration.index({ name: "upload_of_share", on: "upload (share_id) WHERE state = 'OPEN' AND share_id IS NOT NULL" })
]
