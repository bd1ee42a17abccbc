/**
 * Lists the contents of a bucket by their keys: the path without its leading slash, and the name. The index `file_key` has the
 * keys of the files with content.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { KeyedContent, KeyListRequest, KeySlice } from "@holdfast/core/files/FileRepository"
import * as CodePoints from "../CodePoints.ts"
import { among, position } from "../Dialect.ts"
import * as Row from "../Row.ts"
import { inBucket } from "./FileRow.ts"

/** The expression of the index. */
const key = "(substr(path, 2) || name)"

const toContent: Row.FromRow<KeyedContent> = (row) => ({
  key: Row.text(row, "key"),
  size: Row.int(row, "size"),
  etag: Row.text(row, "etag"),
  storedAt: Row.instant(row, "stored_at")
})

/** Returns the beginning of a key up to the first delimiter after the prefix; undefined for a key without one. */
const groupOf = (text: string, { delimiter, prefix }: KeyListRequest): string | undefined => {
  if (delimiter === undefined || !text.startsWith(prefix)) return undefined
  const found = text.indexOf(delimiter, prefix.length)
  return found < 0 ? undefined : text.slice(0, found + delimiter.length)
}

/** Returns the prefix that all keys of a list have; undefined when no key can have it. */
const commonPrefix = ({ folder, prefix }: KeyListRequest): string | undefined => {
  const within = folder === undefined ? "" : folder.slice(1)
  if (prefix.startsWith(within)) return prefix
  return within.startsWith(prefix) ? within : undefined
}

/** Returns the bound of the keys after a position; undefined when there are none. A position in a group is after the whole group. */
const boundAfter = (sql: SqlClient, after: string, request: KeyListRequest): Fragment | undefined => {
  const group = groupOf(after, request)
  if (group === undefined) return sql`${sql.literal(key)} > ${after}`
  const next = CodePoints.successor(group)
  return next === undefined ? undefined : sql`${sql.literal(key)} >= ${next}`
}

/** The parts of a statement that selects contents by their keys. */
interface Source {
  readonly from: Fragment
  /** Selects the contents of the bucket. */
  readonly all: Fragment
  /** Selects the contents whose keys may be listed. */
  readonly where: Fragment
}

const sourceOf = (sql: SqlClient, bucket: KeyListRequest["bucket"], prefix: string): Source => {
  const end = CodePoints.successor(prefix)
  const all = sql`${inBucket(sql, bucket)} AND type IS NOT NULL`
  return {
    // SQLite has no statistics of the tables, so that the statement names the index.
    from: sql.literal(sql.onDialectOrElse({ pg: () => "file", orElse: () => "file INDEXED BY file_key" })),
    all,
    where: end === undefined ? all : sql`${all} AND ${sql.literal(key)} < ${end}`
  }
}

const columns = `${key} AS key, size, etag, stored_at`

const listContents = (sql: SqlClient, { from, where }: Source, bound: Fragment, limit: number) =>
  sql`SELECT ${sql.literal(columns)} FROM ${from} WHERE ${where} AND ${bound}
    ORDER BY ${sql.literal(key)} LIMIT ${limit}`.pipe(Row.all(toContent))

/**
 * Finds the contents with these keys, in the order of the keys. PostgreSQL looks each key up by itself, as the order of the index demands:
 * it has no statistics of keys, expects many contents for each of them, and for a list of keys would read and filter the whole bucket.
 */
const findContents = (sql: SqlClient, { all, from }: Source, keys: ReadonlyArray<string>) =>
  sql
    .onDialectOrElse({
      pg: () => sql`SELECT found.* FROM unnest(CAST(${keys} AS text[])) AS wanted (key)
        CROSS JOIN LATERAL (SELECT ${sql.literal(columns)} FROM ${from} WHERE ${all}
            AND ${sql.literal(key)} >= wanted.key AND ${sql.literal(key)} <= wanted.key
          ORDER BY ${sql.literal(key)} LIMIT 1) AS found`,
      orElse: () => sql`SELECT ${sql.literal(columns)} FROM ${from} WHERE ${all} AND ${among(sql, key, keys)}`
    })
    .pipe(
      Row.all(toContent),
      Effect.map((found) => {
        const byKey = new Map(found.map((content) => [content.key, content]))
        return keys.flatMap((text) => byKey.get(text) ?? [])
      })
    )

/**
 * Returns one key of each group, and the keys without a group, by a loose index scan: it seeks the first key, then the first key after
 * that key's group, and so on. It never visits the other keys of a group.
 */
const scanGroups = (
  sql: SqlClient,
  { from, where }: Source,
  request: KeyListRequest,
  delimiter: string,
  first: Fragment
) => {
  const next = (bound: Fragment) =>
    sql`(SELECT ${sql.literal(key)} FROM ${from} WHERE ${where} AND ${bound} ORDER BY ${sql.literal(key)} LIMIT 1)`
  // Databases count characters in code points.
  const start = Array.from(request.prefix).length
  const found = sql`${position(sql)}(substr(entry.key, CAST(${start + 1} AS integer)), ${delimiter})`
  // No key contains a control character, so that the least key after this one is not less than the key with U+0001.
  const following = sql`CASE WHEN ${found} > 0
    THEN substr(entry.key, 1, CAST(${start} AS integer) + ${found} - 1) || CAST(${CodePoints.successor(delimiter)} AS text)
    ELSE entry.key || CAST(${"\u0001"} AS text) END`
  return sql`WITH RECURSIVE entry (key, place) AS (
      SELECT ${next(first)}, 1
      UNION ALL
      SELECT ${next(sql`${sql.literal(key)} >= ${following}`)}, place + 1 FROM entry
      WHERE key IS NOT NULL AND place < ${request.limit})
    SELECT key FROM entry WHERE key IS NOT NULL ORDER BY place`.pipe(Row.all((row) => Row.text(row, "key")))
}

/** The entries of a page while it is read. */
const makePage = (request: KeyListRequest) => {
  const keys: Array<string> = []
  const found: Array<KeyedContent> = []
  const prefixes: Array<string> = []
  let last: string | undefined
  return {
    count: () => keys.length,
    last: () => last,
    /** Adds the group of a key, or the key itself. Ignores a group that is the last entry already. */
    add: (text: string) => {
      const group = groupOf(text, request)
      if (group !== undefined && group === last) return
      last = group ?? text
      keys.push(last)
      if (group !== undefined) prefixes.push(group)
    },
    addContents: (contents: ReadonlyArray<KeyedContent>) => {
      found.push(...contents.filter((content) => groupOf(content.key, request) === undefined))
    },
    /** Returns the first `limit` entries. */
    slice: (): KeySlice => {
      const { limit } = request
      if (keys.length <= limit) return { contents: found, prefixes, next: null }
      const beyond = keys[limit]
      return {
        contents: found.filter((content) => content.key !== beyond),
        prefixes: prefixes.filter((prefix) => prefix !== beyond),
        next: keys[limit - 1] ?? null
      }
    }
  }
}

/** Lists contents by their keys. */
export const listKeys = Effect.fnUntraced(function* (sql: SqlClient, given: KeyListRequest) {
  const after = given.after === undefined ? undefined : CodePoints.comparable(given.after)
  /** One entry more than the page holds shows whether another page follows. */
  const request = { ...given, limit: given.limit + 1 }
  const page = makePage(given)
  const prefix = commonPrefix(given)
  if (prefix === undefined) return page.slice()
  const bound =
    after === undefined || CodePoints.compare(after, prefix) < 0
      ? sql`${sql.literal(key)} >= ${prefix}`
      : boundAfter(sql, after, given)
  if (bound === undefined) return page.slice()
  const source = sourceOf(sql, given.bucket, prefix)

  // Most pages have few groups or none: then these are their entries.
  const rows = yield* listContents(sql, source, bound, request.limit)
  for (const row of rows) page.add(row.key)
  page.addContents(rows)
  const { delimiter } = given
  const last = page.last()
  if (rows.length < request.limit || page.count() === request.limit || delimiter === undefined || last === undefined) {
    return page.slice()
  }

  const rest = boundAfter(sql, last, given)
  if (rest === undefined) return page.slice()
  const limit = request.limit - page.count()
  const keys = yield* scanGroups(sql, source, { ...given, limit }, delimiter, rest)
  for (const text of keys) page.add(text)
  const plain = keys.filter((text) => groupOf(text, given) === undefined)
  if (plain.length > 0) page.addContents(yield* findContents(sql, source, plain))
  return page.slice()
})
