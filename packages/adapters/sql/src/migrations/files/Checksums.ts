/**
 * The checksum that the writer of a content has declared, in the words of its protocol. The text begins with the blob of the content: it
 * counts while that is the file's blob.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../../internal/Dialect.ts"
import * as Migration from "../Migration.ts"

const change = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`ALTER TABLE file ADD COLUMN checksum ${textType(sql)}`
})

export const checksums: ReadonlyArray<Migration.Step> = [Migration.change(change)]
