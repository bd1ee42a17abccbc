/**
 * Lists folders by a loose scan of the index `file_place`.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { FolderListRequest } from "@holdfast/core/files/FileRepository"
import * as CodePoints from "../CodePoints.ts"
import { position } from "../Dialect.ts"
import * as Row from "../Row.ts"
import { afterFolder, inBucket } from "./FileRow.ts"

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
    sql`(SELECT ${folder} FROM file WHERE ${inBucket(sql, bucket)} AND ${bound}
      AND path < ${afterFolder(path)} ORDER BY path LIMIT 1)`
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
