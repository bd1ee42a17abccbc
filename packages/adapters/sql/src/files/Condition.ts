/**
 * Preconditions as predicates of SQL, so that they are judged by the statement that makes the change. They say the same as
 * `Precondition.holds`.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Precondition } from "@holdfast/core/files/Precondition"

const opaque = (tag: string): string => (tag.startsWith("W/") ? tag.slice(2) : tag)

/** Tags that a database can hold; any other matches nothing. */
const storable = (tag: string): boolean => tag.isWellFormed() && !tag.includes("\0")

/** ` AND …` for the row of a file; nothing without a condition. */
export const where = (sql: SqlClient, { ifMatch, ifNoneMatch }: Precondition): Fragment => {
  const match =
    ifMatch === undefined
      ? sql.literal("")
      : ifMatch === "*"
        ? sql.literal(" AND blob_id IS NOT NULL")
        : sql` AND ${sql.in("etag", ifMatch.filter(storable))}`
  const noneMatch =
    ifNoneMatch === undefined
      ? sql.literal("")
      : ifNoneMatch === "*"
        ? sql.literal(" AND blob_id IS NULL")
        : sql` AND (blob_id IS NULL OR NOT ${sql.in("etag", ifNoneMatch.filter(storable).map(opaque))})`
  return sql`${match}${noneMatch}`
}
