/**
 * Moves the time of an object's last change, which tags of S3 had after an `@`, into a column of its own.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { position } from "../../internal/Dialect.ts"
import * as Row from "../../internal/Row.ts"
import * as Migration from "../Migration.ts"

/** Rows per batch. */
const batchSize = 2000

/** Separates the mirror's id from the object's name in the position of a batch: neither contains a control character. */
const separator = "\u0001"

const addColumn = Effect.flatMap(SqlClient, (sql) => sql`ALTER TABLE mirror_object ADD COLUMN last_modified bigint`)

const moveTimes = Effect.fnUntraced(function* (after: string | null) {
  const sql = yield* SqlClient
  const isAfter = (operator: ">" | "<=", place: string) => {
    const [mirrorId = "", name = ""] = place.split(separator)
    return sql`(mirror_id, name) ${sql.literal(operator)} (${mirrorId}, ${name})`
  }
  const isBeyond = isAfter(">", after ?? "")
  const last = yield* sql`SELECT mirror_id, name FROM mirror_object WHERE ${isBeyond}
    ORDER BY mirror_id, name LIMIT 1 OFFSET ${batchSize - 1}`.pipe(
    Row.all((row) => `${Row.text(row, "mirror_id")}${separator}${Row.text(row, "name")}`)
  )
  const at = sql`${position(sql)}(tag, '@')`
  const inBatch = sql.and([isBeyond, ...last.map((place) => isAfter("<=", place))])
  yield* sql`UPDATE mirror_object SET tag = substr(tag, 1, ${at} - 1),
      last_modified = CAST(NULLIF(substr(tag, ${at} + 1), '') AS bigint)
    WHERE ${inBatch} AND ${at} > 0`
  return last[0] ?? null
})

export const mirrorTimes: ReadonlyArray<Migration.Step> = [Migration.change(addColumn), Migration.batches(moveTimes)]
