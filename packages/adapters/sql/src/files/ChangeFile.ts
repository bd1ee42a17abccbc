/**
 * Changes of a file that leave its content alone, and its removal.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Result from "effect/Result"
import type { SqlClient } from "effect/sql/SqlClient"
import { NotFound } from "@holdfast/core/Errors"
import type { StoredFile, UpdateFile } from "@holdfast/core/files/File"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { Selector } from "@holdfast/core/files/FileRef"
import type { Precondition } from "@holdfast/core/files/Precondition"
import type { Header } from "@holdfast/core/headers/Header"
import { lock } from "../Dialect.ts"
import * as Row from "../Row.ts"
import { transaction } from "../Transaction.ts"
import { where } from "./Condition.ts"
import { columns, headersOf, inBucket, named, toFile } from "./FileRow.ts"
import { orFileTaken } from "./InsertFile.ts"
import { missed } from "./ReplaceContent.ts"

const orNotFound = Effect.flatMap(
  Option.match({
    onNone: () => Effect.fail(new NotFound({ resource: "file" })),
    onSome: (file: StoredFile) => Effect.succeed(file)
  })
)

/** Changes what the caller named; the rest stays. */
export const updateFile = (
  sql: SqlClient,
  bucket: BucketRef,
  selector: Selector,
  change: UpdateFile,
  updatedAt: number
) => {
  const file = named(sql, bucket, selector)
  const standing = (column: "path" | "name") => sql`(SELECT ${sql.literal(column)} FROM file WHERE ${file})`
  return sql`UPDATE file SET ${sql.update({
    updated_at: updatedAt,
    ...(change.name === undefined ? undefined : { name: change.name }),
    ...(change.path === undefined ? undefined : { path: change.path }),
    ...(change.alias === undefined ? undefined : { alias: change.alias }),
    ...(change.metadata === undefined ? undefined : { metadata: JSON.stringify(change.metadata) })
  })} WHERE ${file} RETURNING ${sql.literal(columns)}`.pipe(
    Row.first(toFile),
    orNotFound,
    orFileTaken(sql, bucket, {
      path: change.path ?? standing("path"),
      name: change.name ?? standing("name"),
      alias: change.alias ?? ""
    })
  )
}

/** Changes headers by a function of those that stand, under the lock of the file's row. */
export const updateHeaders = <E>(
  sql: SqlClient,
  bucket: BucketRef,
  selector: Selector,
  change: (headers: ReadonlyArray<Header>) => Result.Result<ReadonlyArray<Header>, E>,
  updatedAt: number
) =>
  Effect.gen(function* () {
    const standing = yield* sql`SELECT id, headers FROM file WHERE ${named(sql, bucket, selector)}
      ${lock(sql, "FOR NO KEY UPDATE")}`.pipe(
      Row.first((row) => ({ id: Row.text(row, "id"), headers: headersOf(row) }))
    )
    if (Option.isNone(standing)) return yield* new NotFound({ resource: "file" })
    const headers = yield* Effect.fromResult(change(standing.value.headers))
    return yield* sql`UPDATE file SET headers = ${JSON.stringify(headers)}, updated_at = ${updatedAt}
      WHERE id = ${standing.value.id} AND ${inBucket(sql, bucket)}
      RETURNING ${sql.literal(columns)}`.pipe(Row.first(toFile), orNotFound)
  }).pipe(transaction(sql))

/** Removes a file where the condition holds; the blob that it had then becomes DOOMED. */
export const removeFile = (
  sql: SqlClient,
  bucket: BucketRef,
  selector: Selector,
  condition: Precondition,
  sweepAt: number
) =>
  Effect.gen(function* () {
    const removed = yield* sql`DELETE FROM file WHERE ${named(sql, bucket, selector)}${where(sql, condition)}
      RETURNING blob_id`.pipe(Row.first((row) => Row.orNull(Row.text, row, "blob_id")))
    if (Option.isNone(removed)) return yield* missed(sql, bucket, selector, condition)
    if (removed.value !== null) {
      yield* sql`UPDATE blob SET state = 'DOOMED', due_at = ${sweepAt}
        WHERE id = ${removed.value} AND ${inBucket(sql, bucket)} AND state = 'READY'`
    }
  }).pipe(transaction(sql))
