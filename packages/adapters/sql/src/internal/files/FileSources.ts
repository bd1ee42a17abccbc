/**
 * The indexes in which the files of a list are neighbours, ordered by path and name.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { FileQuery } from "@holdfast/core/files/FileRepository"
import { inBucket } from "./FileRow.ts"

/** A part of a bucket's files that one index lists without reading any other file. */
export interface FileSource {
  /** The table with the index, as after `FROM`. */
  readonly table: Fragment
  /** Selects the files. */
  readonly where: Fragment
  /** The leading columns of the order; constant for the selected files. PostgreSQL needs them to use the index's order. */
  readonly order: string
}

/**
 * Returns the files of a bucket that have the query's type or state. The state READY has no index of its own: nearly every file
 * has it, and the index would make each upload slower. Undefined when no file can match.
 *
 * SQLite has no statistics of the tables, so that the statement names the index.
 */
export const sourceOf = (sql: SqlClient, bucket: BucketRef, { state, type }: FileQuery): FileSource | undefined => {
  const where = inBucket(sql, bucket)
  const indexed = (name: string) =>
    sql.literal(sql.onDialectOrElse({ pg: () => "file", orElse: () => `file INDEXED BY ${name}` }))
  if (type !== undefined) {
    return state === "RESERVED"
      ? undefined
      : { table: indexed("file_type"), where: sql`${where} AND type = ${type}`, order: "type, " }
  }
  // Only a file without content has no type.
  return state === "RESERVED"
    ? { table: indexed("file_type"), where: sql`${where} AND type IS NULL`, order: "type, " }
    : { table: indexed("file_place"), where, order: "" }
}
