/**
 * Lists files and folders. Both lists are ranges of the index `file_place`; each page begins with a seek in it, however deep
 * the page is.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { FileListRequest, FileQuery, FolderListRequest, Position } from "@holdfast/core/files/FileRepository"
import * as CodePoints from "../CodePoints.ts"
import { position } from "../Dialect.ts"
import * as Row from "../Row.ts"
import { columns, inBucket, toFile } from "./FileRow.ts"

/** Returns the first text after all paths below a folder: `0` is the character after `/`. */
const afterFolder = (path: string): string => `${path.slice(0, -1)}0`

/**
 * The beginning of the range: exactly one lower bound on the index's columns. With two bounds, a database may seek by one and
 * filter by the other.
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

/** The end of the range, and the filters inside it. */
const restrictions = (sql: SqlClient, { name, path, recursive, state, type }: FileQuery): ReadonlyArray<Fragment> => {
  const end = name === undefined ? undefined : CodePoints.successor(name)
  return [
    ...(recursive ? [sql`path < ${afterFolder(path)}`] : []),
    ...(recursive && name !== undefined ? [sql`name >= ${name}`] : []),
    ...(end === undefined ? [] : [sql`name < ${end}`]),
    ...(state === undefined ? [] : [sql.literal(state === "READY" ? "blob_id IS NOT NULL" : "blob_id IS NULL")]),
    ...(type === undefined ? [] : [sql`type = ${type}`])
  ]
}

/** Lists files, ordered by path and name. */
export const listFiles = (sql: SqlClient, { after, bucket, limit, query }: FileListRequest) => {
  const from = after && { path: CodePoints.comparable(after.path), name: CodePoints.comparable(after.name) }
  return sql`SELECT ${sql.literal(columns)} FROM file
    WHERE ${sql.and([inBucket(sql, bucket), lowerBound(sql, query, from), ...restrictions(sql, query)])}
    ORDER BY path, name LIMIT ${limit}`.pipe(Row.all(toFile))
}

/** Selects the paths after a folder and all paths below it. A forged cursor may be a text that is not a folder. */
const afterFolderOrText = (sql: SqlClient, text: string): Fragment =>
  text.endsWith("/") ? sql`path >= ${afterFolder(text)}` : sql`path > ${text}`

/**
 * Lists the folders directly below a path by a loose index scan: it seeks the first path below, then the first path after
 * that path's folder, and so on. It never visits the files inside the folders.
 */
export const listFolders = (sql: SqlClient, { after, bucket, limit, path }: FolderListRequest) => {
  // Databases count characters in code points.
  const length = Array.from(path).length
  const folder = sql`substr(path, 1, CAST(${length} AS integer)
    + ${position(sql)}(substr(path, CAST(${length + 1} AS integer)), '/'))`
  const next = (bound: Fragment) =>
    sql`(SELECT ${folder} FROM file WHERE ${inBucket(sql, bucket)} AND ${bound} AND path < ${afterFolder(path)}
      ORDER BY path LIMIT 1)`
  const first =
    after === undefined || CodePoints.compare(after, path) <= 0
      ? sql`path > ${path}`
      : afterFolderOrText(sql, CodePoints.comparable(after))
  const following = sql.literal("path >= substr(folder, 1, length(folder) - 1) || '0'")
  return sql`WITH RECURSIVE folders (folder, place) AS (
      SELECT ${next(first)}, 1
      UNION ALL
      SELECT ${next(following)}, place + 1 FROM folders WHERE folder IS NOT NULL AND place < ${limit})
    SELECT folder FROM folders WHERE folder IS NOT NULL ORDER BY place`.pipe(Row.all((row) => Row.text(row, "folder")))
}
