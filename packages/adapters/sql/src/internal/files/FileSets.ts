/**
 * Selects the files of a set, for a change of all of them, and changes many rows in short statements.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { NotFound } from "@holdfast/core/Errors"
import type { FileSet } from "@holdfast/core/files/FileRepository"
import { among, lock } from "../Dialect.ts"
import * as Row from "../Row.ts"
import { checkedInBucket, inFolder } from "./FileRow.ts"

/** What a move or a removal needs to know of a file. */
export interface PlacedFile {
  readonly id: string
  readonly path: string
  readonly name: string
  readonly version: number
  readonly etag: string | null
  readonly blobId: string | null
}

export const placedColumns = "id, path, name, version, etag, blob_id"

export const toPlaced: Row.FromRow<PlacedFile> = (row) => ({
  id: Row.text(row, "id"),
  path: Row.text(row, "path"),
  name: Row.text(row, "name"),
  version: Row.int(row, "version"),
  etag: Row.orNull(Row.text, row, "etag"),
  blobId: Row.orNull(Row.text, row, "blob_id")
})

/** Locks the files of a set. Returns them in the order of the ids; fails with `NotFound` unless all exist. */
export const lockFiles = Effect.fnUntraced(function* (
  sql: SqlClient,
  { bucket, fileIds, folder }: FileSet,
  strength: "FOR UPDATE" | "FOR NO KEY UPDATE"
) {
  // Ordered, so that two transactions that lock the same files do not wait for each other.
  const found = yield* sql`SELECT ${sql.literal(placedColumns)} FROM file
    WHERE ${among(sql, "id", fileIds)} AND ${checkedInBucket(sql, bucket)}
      AND ${folder === undefined ? sql.literal("1 = 1") : inFolder(sql, folder)}
    ORDER BY id ${lock(sql, strength)}`.pipe(Row.all(toPlaced))
  const byId = new Map(found.map((file) => [file.id, file]))
  const missing = fileIds.filter((id) => !byId.has(id))
  if (missing.length > 0) return yield* NotFound.ofFiles(missing, fileIds)
  return fileIds.flatMap((id) => byId.get(id) ?? [])
})

/** The rows that one statement changes: some 10 ms with SQLite, where other requests wait for a statement. */
const rowsAtOnce = 200

/** Runs a change for the rows, a part at a time. Other requests get a turn between the parts. */
export const inParts = Effect.fnUntraced(function* <A, E, R>(
  rows: ReadonlyArray<A>,
  change: (part: ReadonlyArray<A>) => Effect.Effect<unknown, E, R>
): Effect.fn.Return<void, E, R> {
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    if (start > 0) yield* Effect.yieldNow
    yield* change(rows.slice(start, start + rowsAtOnce))
  }
})
