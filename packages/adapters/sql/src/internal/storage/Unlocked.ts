/**
 * Conditions on blobs that no other transaction has locked.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/** Selects blobs by a condition; on PostgreSQL, only those that no other transaction has locked. */
export const unlocked = (sql: SqlClient, strength: "FOR UPDATE" | "FOR NO KEY UPDATE", condition: Fragment): Fragment =>
  sql.onDialectOrElse({
    pg: () => sql`id IN (SELECT id FROM blob WHERE ${condition} ${sql.literal(strength)} SKIP LOCKED)`,
    orElse: () => condition
  })
