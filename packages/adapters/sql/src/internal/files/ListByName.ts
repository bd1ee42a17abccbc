/**
 * Lists the files below a folder whose names begin with a prefix. In the index such files are neighbours inside one folder only.
 * Therefore a loose scan seeks the prefix in one folder after the other and never visits the files between.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { StoredFile } from "@holdfast/core/files/File"
import type { Position } from "@holdfast/core/files/FileRepository"
import * as CodePoints from "../CodePoints.ts"
import { among } from "../Dialect.ts"
import * as Row from "../Row.ts"
import { afterFolder, listedColumns, ofValues } from "./FileRow.ts"
import type { FileSource } from "./FileSources.ts"

/** The folders that one page visits at most: some 10 ms of PostgreSQL. */
export const folderBudget = 1000

export interface NameRequest {
  readonly source: FileSource
  /** The folder, normalised. */
  readonly path: string
  /** The prefix of the names. */
  readonly name: string
  readonly after: Position | undefined
  readonly limit: number
}

const toVisit: Row.FromRow<{ readonly path: string | null; readonly before: number }> = (row) => ({
  path: Row.orNull(Row.text, row, "path"),
  before: Row.int(row, "before")
})

/**
 * Returns at most `limit` files, and the position up to which the folders were visited: null when that was the last one.
 */
export const listByName = Effect.fnUntraced(function* (
  sql: SqlClient,
  { after, limit, name, path, source }: NameRequest
) {
  const end = CodePoints.successor(name)
  const hasPrefix = sql.and([sql`name >= ${name}`, ...(end === undefined ? [] : [sql`name < ${end}`])])
  const select = (condition: Fragment, most: number) =>
    sql`SELECT ${sql.literal(listedColumns)} FROM ${source.table} WHERE ${source.where} AND ${condition}
      ORDER BY ${sql.literal(`${source.order}path, name`)} LIMIT ${most}`.values.pipe(Row.allValues(ofValues))

  const files: Array<StoredFile> = []
  // A forged cursor may be beyond the folder.
  if (after !== undefined && CodePoints.compare(after.path, afterFolder(path)) >= 0) return { files, visited: null }
  const isInside = after !== undefined && CodePoints.compare(after.path, path) >= 0
  if (isInside && after.name !== null) {
    const from = CodePoints.compare(after.name, name) < 0 ? sql`name >= ${name}` : sql`name > ${after.name}`
    const until = end === undefined ? [] : [sql`name < ${end}`]
    files.push(...(yield* select(sql.and([sql`path = ${after.path}`, from, ...until]), limit)))
  }
  const missing = limit - files.length
  if (missing === 0) return { files, visited: files.at(-1) ?? null }

  // A row has the number of files in the folders before it, so that each folder is sought and counted once.
  const next = (bound: Fragment) =>
    sql`(SELECT path FROM ${source.table} WHERE ${source.where} AND ${bound} AND path < ${afterFolder(path)}
      ORDER BY ${sql.literal(`${source.order}path`)} LIMIT 1)`
  const count = sql`(SELECT COUNT(*) FROM (SELECT 1 AS one FROM ${source.table}
    WHERE ${source.where} AND path = folders.path AND ${hasPrefix} LIMIT ${missing}) AS found)`
  const visits = yield* sql`WITH RECURSIVE folders (path, found, place) AS (
      SELECT ${next(isInside ? sql`path > ${after.path}` : sql`path >= ${path}`)}, CAST(0 AS bigint), 1
      UNION ALL
      SELECT ${next(sql.literal("path > folders.path"))}, found + ${count}, place + 1 FROM folders
      WHERE path IS NOT NULL AND found < ${missing} AND place <= ${folderBudget})
    SELECT path, found AS before FROM folders ORDER BY place`.pipe(Row.all(toVisit))

  const counted = visits.slice(0, -1).map((visit) => visit.path ?? "")
  const matching = counted.filter((_, index) => (visits[index + 1]?.before ?? 0) > (visits[index]?.before ?? 0))
  // Only the last folder may have more matching files than the page.
  const [last, others] = [matching.at(-1), matching.slice(0, -1)]
  if (others.length > 0) files.push(...(yield* select(sql`${among(sql, "path", others)} AND ${hasPrefix}`, limit)))
  if (last !== undefined && files.length < limit) {
    files.push(...(yield* select(sql`path = ${last} AND ${hasPrefix}`, limit - files.length)))
  }
  if (files.length >= limit) return { files, visited: files.at(-1) ?? null }
  const stopped = visits.at(-1)?.path !== null && counted.length > 0
  return { files, visited: stopped ? { path: counted.at(-1) ?? path, name: null } : null }
})
