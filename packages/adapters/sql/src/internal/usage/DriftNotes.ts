/**
 * Notes which counters a check found wrong, for a metric: the check may run in a process that has none.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { among } from "../Dialect.ts"
import * as Row from "../Row.ts"

interface Checked {
  readonly owner: "tenant" | "bucket"
  /** The part that was checked: the ids after `after`, up to `last`, or all following ones when that is null. */
  readonly after: string
  readonly last: string | null
  /** The owners whose counters are wrong. */
  readonly found: ReadonlyArray<string>
}

/** Replaces the notes of the part that was checked. Mostly there are none before and after, and nothing is written. */
export const noteDrifts = Effect.fnUntraced(function* (sql: SqlClient, { after, found, last, owner }: Checked) {
  const end = last === null ? sql`` : sql`AND owner_id <= ${last}`
  const noted = yield* sql`SELECT owner_id FROM usage_drift WHERE owner = ${owner} AND owner_id > ${after} ${end}`.pipe(
    Row.all((row) => Row.text(row, "owner_id"))
  )
  const gone = noted.filter((ownerId) => !found.includes(ownerId))
  if (gone.length > 0) yield* sql`DELETE FROM usage_drift WHERE ${among(sql, "owner_id", gone)}`
  const added = found
    .filter((ownerId) => !noted.includes(ownerId))
    .map((owner_id): Record<string, unknown> => ({ owner_id, owner }))
  if (Arr.isReadonlyArrayNonEmpty(added)) {
    yield* sql`INSERT INTO usage_drift ${sql.insert(added)} ON CONFLICT (owner_id) DO NOTHING`
  }
})

export const countDrifts = (sql: SqlClient, limit: number) =>
  sql`SELECT COUNT(*) AS drifts FROM (SELECT 1 AS one FROM usage_drift LIMIT ${limit}) AS part`.pipe(
    Row.all((row) => Row.int(row, "drifts")),
    Effect.map(([drifts = 0]) => drifts)
  )
