/**
 * Makes the parts of partial uploads those of another upload. No byte is copied: the rows of the parts change their owner.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { NotFound } from "@holdfast/core/Errors"
import type { StoredUpload } from "@holdfast/core/uploads/Upload"
import { UploadIncomplete } from "@holdfast/core/uploads/UploadErrors"
import type { UploadRepository } from "@holdfast/core/uploads/UploadRepository"
import { millis } from "../Dialect.ts"
import { ofBucket } from "../files/FileRow.ts"
import { withinLimits } from "../usage/WithinLimits.ts"
import { lockOpen, reserve } from "./AddPart.ts"

type Terms = Parameters<UploadRepository["Service"]["join"]>[0]

export const join = (sql: SqlClient, { expiresAt, now, partials, upload: ref }: Terms) =>
  withinLimits(sql, ref, (check) =>
    Effect.gen(function* () {
      const former = yield* lockOpen(sql, ref)
      const found = new Map<string, StoredUpload>()
      // In the order of the ids: transactions that lock the same uploads do not wait for each other in a circle.
      for (const uploadId of partials.toSorted()) {
        const partial = yield* lockOpen(sql, { ...ref, uploadId })
        if (partial.expiresAt.epochMilliseconds <= now.epochMilliseconds) {
          return yield* new NotFound({ resource: "upload" })
        }
        if (partial.received !== partial.length) {
          return yield* new UploadIncomplete({ received: partial.received, length: partial.length ?? partial.received })
        }
        found.set(uploadId, partial)
      }
      let { received, revision } = former
      for (const uploadId of partials) {
        const partial = found.get(uploadId)
        if (partial === undefined) continue
        yield* sql`UPDATE blob_part SET content_id = ${former.blobId}, number = number + ${revision}, start = start + ${received}
          WHERE content_id = ${partial.blobId}`
        yield* sql`UPDATE upload SET state = 'DEAD' WHERE id = ${partial.id}`
        yield* sql`UPDATE blob SET state = 'DOOMED', due_at = 0
          WHERE id = ${partial.blobId} AND ${ofBucket(sql, ref)} AND state = 'PENDING'`
        received += partial.received
        revision += partial.revision
      }
      const upload: StoredUpload = { ...former, received, revision, length: received, expiresAt }
      yield* sql`UPDATE upload SET received = ${upload.received}, revision = ${upload.revision}, length = ${upload.length},
        expires_at = ${millis(expiresAt)} WHERE id = ${upload.id}`
      const growth = yield* reserve(sql, former, upload)
      yield* check({ files: 0, bytes: growth - (received - former.received) })
      return upload
    })
  )
