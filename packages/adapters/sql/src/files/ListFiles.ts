/**
 * Lists of files and folders. Both are ranges of one index, and a page begins by a seek however deep it is.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { FileQuery, Position } from "@holdfast/core/files/FileRepository"
import * as CodePoints from "../CodePoints.ts"
import { position } from "../Dialect.ts"
import * as Row from "../Row.ts"
import { columns, inBucket, toFile } from "./FileRow.ts"

/** The first text after all folders that begin with this one: its last slash is grown by one. */
const afterFolder = (path: string): string => `${path.slice(0, -1)}0`

/**
 * Where the range begins. Exactly one lower bound on the index's columns: with two, a database may seek by the one
 * and filter by the other.
 */
const lowerBound = (sql: SqlClient, { name, path, recursive }: FileQuery, after: Position | undefined): Fragment => {
  const order = after === undefined ? -1 : CodePoints.compare(after.path, path)
  if (recursive) {
    return after === undefined || order < 0 ? sql`path >= ${path}` : sql`(path, name) > (${after.path}, ${after.name})`
  }
  if (after === undefined || order < 0) return sql`path = ${path} AND name >= ${name ?? ""}`
  if (order > 0) return sql.literal("1 = 0")
  return name !== undefined && CodePoints.compare(after.name, name) < 0
    ? sql`path = ${path} AND name >= ${name}`
    : sql`path = ${path} AND name > ${after.name}`
}

/** Where it ends, and what is left out of it. */
const restrictions = (sql: SqlClient, { name, path, recursive, state, type }: FileQuery): ReadonlyArray<Fragment> => {
  const beyond = name === undefined ? undefined : CodePoints.successor(name)
  return [
    ...(recursive ? [sql`path < ${afterFolder(path)}`] : []),
    ...(recursive && name !== undefined ? [sql`name >= ${name}`] : []),
    ...(beyond === undefined ? [] : [sql`name < ${beyond}`]),
    ...(state === undefined ? [] : [sql.literal(state === "READY" ? "blob_id IS NOT NULL" : "blob_id IS NULL")]),
    ...(type === undefined ? [] : [sql`type = ${type}`])
  ]
}

/** Files in order of path and name. */
export const listFiles = (
  sql: SqlClient,
  bucket: BucketRef,
  query: FileQuery,
  after: Position | undefined,
  limit: number
) => {
  const from = after && { path: CodePoints.comparable(after.path), name: CodePoints.comparable(after.name) }
  return sql`SELECT ${sql.literal(columns)} FROM file
    WHERE ${sql.and([inBucket(sql, bucket), lowerBound(sql, query, from), ...restrictions(sql, query)])}
    ORDER BY path, name LIMIT ${limit}`.pipe(Row.all(toFile))
}

/** Past a folder and all that it holds; or past a text that is no folder, as a forged cursor may be. */
const beyondFolder = (sql: SqlClient, text: string): Fragment =>
  text.endsWith("/") ? sql`path >= ${afterFolder(text)}` : sql`path > ${text}`

/**
 * Folders directly below a path. A loose scan of the index: from the first path below, seek beyond its folder to the
 * next, and so on, so that the files inside of each are never visited.
 */
export const listFolders = (
  sql: SqlClient,
  bucket: BucketRef,
  path: string,
  after: string | undefined,
  limit: number
) => {
  // Databases count characters by code point.
  const length = Array.from(path).length
  const folder = sql`substr(path, 1, CAST(${length} AS integer)
    + ${position(sql)}(substr(path, CAST(${length + 1} AS integer)), '/'))`
  const next = (bound: Fragment) =>
    sql`(SELECT ${folder} FROM file WHERE ${inBucket(sql, bucket)} AND ${bound} AND path < ${afterFolder(path)}
      ORDER BY path LIMIT 1)`
  const first =
    after === undefined || CodePoints.compare(after, path) <= 0
      ? sql`path > ${path}`
      : beyondFolder(sql, CodePoints.comparable(after))
  const following = sql.literal("path >= substr(folder, 1, length(folder) - 1) || '0'")
  return sql`WITH RECURSIVE folders (folder, place) AS (
      SELECT ${next(first)}, 1
      UNION ALL
      SELECT ${next(following)}, place + 1 FROM folders WHERE folder IS NOT NULL AND place < ${limit})
    SELECT folder FROM folders WHERE folder IS NOT NULL ORDER BY place`.pipe(Row.all((row) => Row.text(row, "folder")))
}
