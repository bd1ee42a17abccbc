/**
 * A row of the attacker that another transaction has locked, while the attacker's requests wait for it.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Calls from "../Calls.ts"
import type { Operation } from "../Operation.ts"

export const lockedRows: Operation = {
  name: "locked-rows",
  description: "uploads into a bucket whose row another transaction has locked, over many connections",
  databases: ["postgres"],
  prepare: Effect.fnUntraced(function* (site) {
    const { connections, seconds } = site.sizes
    const { attacker } = site
    const fileId = yield* site.store(4096)
    const holdRows = site.query(
      Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`SELECT id FROM bucket WHERE id = ${attacker.bucketId} FOR UPDATE`
            yield* sql`SELECT id FROM file WHERE id = ${fileId} FOR UPDATE`
            yield* Effect.sleep(seconds * 1000)
          })
        )
      )
    )
    const raw = { "content-type": "application/octet-stream" }
    const url = site.url(attacker.files(`/${fileId}/reupload`))
    const upload = Calls.call("POST", url, new Uint8Array(1000), raw)
    const work = Effect.map(
      Effect.all(
        [
          holdRows,
          Calls.callAll(
            Array.from({ length: connections }, () => upload),
            connections
          )
        ],
        {
          concurrency: 2
        }
      ),
      ([, text]) => text
    )
    return { work }
  })
}
