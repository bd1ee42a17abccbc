/**
 * The caps of a share that takes uploads. The files and bytes of its open uploads in parts count from their creation on, so that its holders
 * never keep more than it permits. They are at most as many as one share may have open, so that each check reads a bounded number of rows.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import { NotFound } from "@holdfast/core/Errors"
import { ShareExhausted } from "@holdfast/core/files/shares/Share"
import { lock } from "../Dialect.ts"
import * as Row from "../Row.ts"

interface Use {
  readonly files: number
  readonly bytes: number
}

/** The caps of a share, and what was stored by it. */
interface Caps {
  readonly maxFiles: number | null
  readonly maxBytes: number | null
  readonly stored: Use
}

const columns = "max_files, max_bytes, uploaded_files, uploaded_bytes"

const toCaps: Row.FromRow<Caps> = (row) => ({
  maxFiles: Row.orNull(Row.int, row, "max_files"),
  maxBytes: Row.orNull(Row.int, row, "max_bytes"),
  stored: { files: Row.int(row, "uploaded_files"), bytes: Row.int(row, "uploaded_bytes") }
})

const missing = new NotFound({ resource: "share" })

const none: Use = { files: 0, bytes: 0 }

/** Returns what the open uploads of a share count that have not expired at a time, in epoch milliseconds. */
const openUse = (sql: SqlClient, shareId: string, now: number) =>
  sql`SELECT CAST(COALESCE(SUM(share_files), 0) AS bigint) AS files, CAST(COALESCE(SUM(share_bytes), 0) AS bigint) AS bytes
    FROM upload WHERE share_id = ${shareId} AND state = 'OPEN' AND expires_at > ${now}`.pipe(
    Row.first((row) => ({ files: Row.int(row, "files"), bytes: Row.int(row, "bytes") })),
    Effect.map(Option.getOrElse(() => none))
  )

/** Fails with the cap that is exceeded. */
const check = ({ maxBytes, maxFiles, stored }: Caps, ...others: ReadonlyArray<Use>) => {
  const sum = (unit: keyof Use) => others.reduce((total, use) => total + use[unit], stored[unit])
  if (maxFiles !== null && sum("files") > maxFiles) return Effect.fail(new ShareExhausted({ limit: "maxFiles" }))
  if (maxBytes !== null && sum("bytes") > maxBytes) return Effect.fail(new ShareExhausted({ limit: "maxBytes" }))
  return Effect.void
}

/** Fails unless a share has room for another file of so many bytes. Other uploads may take the room afterwards. */
export const checkRoom = Effect.fnUntraced(function* (
  sql: SqlClient,
  upload: { readonly shareId: string; readonly bytes: number; readonly now: number }
) {
  const { bytes, now, shareId } = upload
  const caps = yield* NotFound.whenNone(
    sql`SELECT ${sql.literal(columns)} FROM share WHERE id = ${shareId}`.pipe(Row.first(toCaps)),
    missing
  )
  yield* check(caps, yield* openUse(sql, shareId, now), { files: 1, bytes })
})

/**
 * Fails the transaction when it has made the open uploads of a share exceed its caps. Locks the row of the share until the end of the
 * transaction, after the counters of usage, as `countStored` does.
 */
export const checkOpen = Effect.fnUntraced(function* (sql: SqlClient, shareId: string, now: number) {
  const caps = yield* NotFound.whenNone(
    sql`SELECT ${sql.literal(columns)} FROM share WHERE id = ${shareId} ${lock(sql, "FOR NO KEY UPDATE")}`.pipe(
      Row.first(toCaps)
    ),
    missing
  )
  yield* check(caps, yield* openUse(sql, shareId, now))
})

/**
 * Counts a stored file for a share, within its caps. Locks the row of the share until the end of the transaction. A file whose upload was
 * open has the place of that upload: with `isReserved` other open uploads do not count.
 */
export const countStored = Effect.fnUntraced(function* (
  sql: SqlClient,
  file: { readonly shareId: string; readonly bytes: number; readonly now: number; readonly isReserved: boolean }
) {
  const { bytes, isReserved, now, shareId } = file
  // The lock comes with a statement of its own: the sum of the open uploads then sees those of transactions that had the lock before.
  const caps = yield* NotFound.whenNone(
    sql`UPDATE share SET uploaded_files = uploaded_files + 1, uploaded_bytes = uploaded_bytes + ${bytes}
      WHERE id = ${shareId} RETURNING ${sql.literal(columns)}`.pipe(Row.first(toCaps)),
    missing
  )
  yield* check(caps, isReserved ? none : yield* openUse(sql, shareId, now))
})
