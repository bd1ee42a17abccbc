/**
 * The state of a file's copy. Each state has a partial index, ordered by file.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { MirrorFileState } from "@holdfast/core/mirrors/Mirror"

/** Each implies the condition of its index, word for word. */
const conditions: { readonly [S in MirrorFileState]: string } = {
  COPIED: "t.done >= t.wanted",
  PENDING: "t.done < t.wanted AND t.error IS NULL",
  FAILED: "t.done < t.wanted AND t.error IS NOT NULL"
}

/** Condition: the task `t` of a mirror is in a state. */
export const inState = (sql: SqlClient, mirrorId: string, state: MirrorFileState): Fragment =>
  sql`t.mirror_id = ${mirrorId} AND ${sql.literal(conditions[state])}`
