/**
 * Finds the objects with the bytes of a file's content.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { MirrorCopy } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import { ofBucket } from "../../files/FileRow.ts"
import * as Row from "../../Row.ts"
import { columns, toMirror } from "../MirrorRow.ts"

const toCopy: Row.FromRow<MirrorCopy> = (row) => ({ mirror: toMirror(row), name: Row.text(row, "object_name") })

/** One statement: the mirrors of the bucket, and for each a look-up of the file's objects. */
export const findCopies = (
  sql: SqlClient,
  { bucket, fileId, sha256 }: { readonly bucket: BucketRef; readonly fileId: string; readonly sha256: string }
) =>
  sql`SELECT ${sql.literal(columns)}, copy.name AS object_name
    FROM (SELECT * FROM mirror WHERE ${ofBucket(sql, bucket)} AND removed = 0 AND paused = 0 AND failing_since IS NULL)
      AS mirror JOIN mirror_object AS copy ON copy.mirror_id = mirror.id AND copy.file_id = ${fileId}
    WHERE copy.sha256 = ${sha256} ORDER BY mirror.id, copy.name LIMIT 100`.pipe(Row.all(toCopy))
