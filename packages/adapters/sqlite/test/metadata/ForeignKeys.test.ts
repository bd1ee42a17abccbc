import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as SqliteMetadata from "../../src/SqliteMetadata.ts"

layer(SqliteMetadata.layer({ file: ":memory:" }))("foreign keys", (it) => {
  // The databases look for the rows that refer to a deleted one. Neither shows that in a plan. Both have the same indexes.
  it.effect("every foreign key → an index begins with one of its columns", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const keys = yield* sql<{ owner: string; key: number; columns: string }>`SELECT m.name AS owner, f.id AS key,
          json_group_array(f."from") AS columns
        FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table' GROUP BY m.name, f.id`
      // A partial index serves only where its condition follows from the columns of the key.
      const indexes = yield* sql<{ owner: string; first: string }>`SELECT m.name AS owner, i.name AS first
        FROM sqlite_master m JOIN pragma_index_list(m.name) l JOIN pragma_index_info(l.name) i
        WHERE m.type = 'table' AND i.seqno = 0
          AND (l.partial = 0 OR EXISTS (SELECT 1 FROM sqlite_master x
            WHERE x.name = l.name AND x.sql LIKE '%WHERE ' || i.name || ' IS NOT NULL'))`
      expect(keys.length).toBeGreaterThan(8)
      const without = keys.filter(({ columns, owner }) => {
        const referring: ReadonlyArray<string> = JSON.parse(columns) as ReadonlyArray<string>
        return !indexes.some((index) => index.owner === owner && referring.includes(index.first))
      })
      expect(without).toEqual([])
    })
  )
})
