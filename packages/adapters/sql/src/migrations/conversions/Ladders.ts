/**
 * The queue of the lower renditions that are made behind copies.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../../internal/Dialect.ts"
import * as Migration from "../Migration.ts"

/**
 * `ladder_state` is QUEUED or RUNNING while the ladder of a READY conversion is pending. From `ladder_due_at` on, a worker may claim it;
 * while it runs, that is when the lease expires. Nodes of the former version claim only by `state` and `due_at`.
 */
const addColumns = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`ALTER TABLE conversion ADD COLUMN ladder_state ${textType(sql)}`
  yield* sql`ALTER TABLE conversion ADD COLUMN ladder_due_at bigint`
})

export const ladders: ReadonlyArray<Migration.Step> = [
  Migration.change(addColumns),
  Migration.index({
    name: "conversion_ladder",
    on: "conversion (tenant_id, ladder_due_at, id) WHERE ladder_due_at IS NOT NULL"
  })
]
