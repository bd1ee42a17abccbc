/**
 * Removes several files.
 */
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { FileSet } from "@holdfast/core/files/FileRepository"
import { among, millis } from "../Dialect.ts"
import { recordAll } from "../events/RecordEvent.ts"
import { transaction } from "../../Transaction.ts"
import { fileEvent } from "./FileEvents.ts"
import { inParts, lockFiles, type PlacedFile } from "./FileSets.ts"
import { checkedOfBucket } from "./FileRow.ts"

/** Deletes the rows of locked files, dooms their blobs and writes their events. */
export const deleteRows = (
  sql: SqlClient,
  {
    bucket,
    files,
    sweepAt
  }: {
    readonly bucket: BucketRef
    readonly files: ReadonlyArray<PlacedFile>
    readonly sweepAt: DateTime.Utc
  }
) =>
  inParts(files, (part) =>
    Effect.gen(function* () {
      const ids = part.map(({ id }) => id)
      const blobIds = part.flatMap(({ blobId }) => blobId ?? [])
      yield* sql`DELETE FROM file WHERE ${among(sql, "id", ids)} AND ${checkedOfBucket(sql, bucket)}`
      yield* sql`UPDATE blob SET state = 'DOOMED', due_at = ${millis(sweepAt)}
        WHERE ${among(sql, "id", blobIds)} AND ${checkedOfBucket(sql, bucket)} AND state = 'READY'`
      const events = part.map((file) => fileEvent(bucket, "file.deleted", file, { version: file.version }))
      yield* recordAll(sql, bucket, events)
    })
  )

/** Removes the files of a set. */
export const removeFiles = (sql: SqlClient, removal: FileSet & { readonly sweepAt: DateTime.Utc }) =>
  lockFiles(sql, removal, "FOR UPDATE").pipe(
    Effect.flatMap((files) => deleteRows(sql, { ...removal, files })),
    transaction(sql)
  )
