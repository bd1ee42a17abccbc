/**
 * Lists files. A list is a range of an index; each page begins with a seek in it, however deep the page is. What no index orders
 * is filtered from a bounded number of rows, so that a page may end before it is full.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type {
  FileListRequest,
  FileQuery,
  FileSlice,
  FolderCountRequest,
  Position
} from "@holdfast/core/files/FileRepository"
import * as Reads from "../../Reads.ts"
import * as CodePoints from "../CodePoints.ts"
import * as FilteredPart from "../FilteredPart.ts"
import * as Row from "../Row.ts"
import { afterFolder, columns, listedColumns, ofValues, toFile } from "./FileRow.ts"
import { type FileSource, sourceOf } from "./FileSources.ts"
import { listByName } from "./ListByName.ts"

/** The files that one page reads at most when it filters them: some 2 ms. */
const rowBudget = 2000

/**
 * The beginning of the range: exactly one lower bound on the index's columns. With two bounds, a database may seek by one and
 * filter by the other.
 */
const lowerBound = (sql: SqlClient, { name, path, recursive }: FileQuery, after: Position | undefined): Fragment => {
  const order = after === undefined ? -1 : CodePoints.compare(after.path, path)
  if (recursive) {
    if (after === undefined || order < 0) return sql`path >= ${path}`
    return after.name === null ? sql`path > ${after.path}` : sql`(path, name) > (${after.path}, ${after.name})`
  }
  if (after === undefined || order < 0) return sql`path = ${path} AND name >= ${name ?? ""}`
  if (order > 0 || after.name === null) return sql.literal("1 = 0")
  return name !== undefined && CodePoints.compare(after.name, name) < 0
    ? sql`path = ${path} AND name >= ${name}`
    : sql`path = ${path} AND name > ${after.name}`
}

/** The range of a list without a prefix of names, or of one folder. */
const rangeOf = (sql: SqlClient, source: FileSource, query: FileQuery, after: Position | undefined): Fragment => {
  const end = query.name === undefined ? undefined : CodePoints.successor(query.name)
  return sql.and([
    source.where,
    lowerBound(sql, query, after),
    ...(query.recursive ? [sql`path < ${afterFolder(query.path)}`] : []),
    ...(end === undefined ? [] : [sql`name < ${end}`])
  ])
}

const toPosition: Row.FromRow<Position> = (row) => ({ path: Row.text(row, "path"), name: Row.text(row, "name") })

/** Lists the files with content in a range that may contain others, too: from `rowBudget` rows at most. */
const listReady = (sql: SqlClient, source: FileSource, range: Fragment, limit: number) =>
  FilteredPart.read(sql, {
    columns,
    from: sql`${source.table} WHERE ${range}`,
    order: "path, name",
    condition: sql.literal("blob_id IS NOT NULL"),
    limit,
    budget: rowBudget
  }).pipe(
    Row.convert(({ end, rows }) => ({ files: rows.map(toFile), visited: end === undefined ? null : toPosition(end) }))
  )

/** Whether a list filters the files with content from others. */
const filtersReady = ({ state, type }: FileQuery): boolean => state === "READY" && type === undefined

/** Counts the files and markers of a folder and of all folders below it, `limit` at most, in their index. */
export const countFiles = (sql: SqlClient, { bucket, limit, path }: FolderCountRequest) => {
  const query = { path, recursive: true }
  const source = sourceOf(sql, bucket, query)
  if (source === undefined) return Effect.succeed(0)
  return sql`SELECT COUNT(*) AS number FROM (SELECT 1 AS one FROM ${source.table}
    WHERE ${rangeOf(sql, source, query, undefined)} ORDER BY path, name LIMIT ${limit}) AS part`.pipe(
    Row.all((row) => Row.int(row, "number")),
    Effect.map(([number = 0]) => number)
  )
}

/** Whether a list is one range of an index and short, so that it may be a `PageRead`. */
export const isPageRead = ({ limit, query }: FileListRequest): boolean =>
  limit < Reads.maxPageRows && !filtersReady(query) && !(query.recursive && query.name !== undefined)

/** Lists files, ordered by path and name. A marker that is not listed may take the place of a file on a page. */
export const listFiles = Effect.fnUntraced(function* (
  sql: SqlClient,
  { after, bucket, limit, query, withMarkers = false }: FileListRequest
) {
  const source = sourceOf(sql, bucket, query)
  const none: FileSlice = { files: [], next: null }
  if (source === undefined) return none
  const from = after && {
    path: CodePoints.comparable(after.path),
    name: after.name === null ? null : CodePoints.comparable(after.name)
  }
  const isReady = filtersReady(query)
  /** One file more than the page holds shows whether another page follows. */
  const most = limit + 1
  const { name, path, recursive } = query
  const range = rangeOf(sql, source, query, from)
  const { files, visited } =
    recursive && name !== undefined
      ? yield* listByName(sql, { source, path, name, after: from, limit: most })
      : isReady
        ? yield* listReady(sql, source, range, most)
        : yield* sql`SELECT ${sql.literal(listedColumns)} FROM ${source.table} WHERE ${range}
            ORDER BY ${sql.literal(`${source.order}path, name`)} LIMIT ${most}`.values.pipe(
            Row.allValues(ofValues),
            Effect.map((files) => ({ files, visited: null }))
          )
  const shown = files.slice(0, limit)
  const end = files.length > limit ? shown.at(-1) : visited
  return {
    files: shown.filter(({ content, name }) => (withMarkers || name !== "") && (!isReady || content !== null)),
    next: end === undefined || end === null ? null : { path: end.path, name: end.name }
  } satisfies FileSlice
})
