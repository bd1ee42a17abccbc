/**
 * Preconditions as SQL, so that the statement that makes the change also checks them. They are true for the same contents
 * as `Precondition.holds`.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Precondition } from "@holdfast/core/files/Precondition"

const opaque = (tag: string): string => (tag.startsWith("W/") ? tag.slice(2) : tag)

/** Whether a database can store the tag. Other tags match no content. */
const isStorable = (tag: string): boolean => tag.isWellFormed() && !tag.includes("\0")

/** Returns ` AND …` for the row of a file; an empty fragment without a condition. */
export const preconditionClause = (sql: SqlClient, { ifMatch, ifNoneMatch }: Precondition): Fragment => {
  const match =
    ifMatch === undefined
      ? sql.literal("")
      : ifMatch === "*"
        ? sql.literal(" AND blob_id IS NOT NULL")
        : sql` AND ${sql.in("etag", ifMatch.filter(isStorable))}`
  const noneMatch =
    ifNoneMatch === undefined
      ? sql.literal("")
      : ifNoneMatch === "*"
        ? sql.literal(" AND blob_id IS NULL")
        : sql` AND (blob_id IS NULL OR NOT ${sql.in("etag", ifNoneMatch.filter(isStorable).map(opaque))})`
  return sql`${match}${noneMatch}`
}
