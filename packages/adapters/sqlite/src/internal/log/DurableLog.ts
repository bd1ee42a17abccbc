/**
 * The write-ahead log of one client: its syncs, and the connections for reads that see durable commits only.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import type { Connection } from "effect/sql/SqlConnection"
import { fromOpening } from "../SqliteError.ts"
import { open } from "../SqliteFile.ts"
import * as LogSync from "./LogSync.ts"
import * as Snapshots from "./Snapshots.ts"
import * as WalIndex from "./WalIndex.ts"

export interface DurableLog {
  readonly log: LogSync.LogSync
  /** Returns the connection for a short read that follows at once. */
  readonly reads: () => Connection
  /** Returns a number that changes with each change of what such a read sees, also by other processes. */
  readonly version: () => number
}

const anyRead = "SELECT 1 FROM sqlite_schema LIMIT 1"

/** Numbers the positions that reads see. A commit of any process appends to the log or, with other salts, begins it again. */
const versionOf = (read: () => WalIndex.Position | undefined): (() => number) => {
  let last = read()
  let version = 0
  return () => {
    const position = read()
    if (!WalIndex.isSame(position, last)) {
      last = position
      version++
    }
    return version
  }
}

export interface Options {
  readonly file: string
  readonly isShared: boolean
}

/** Opens the log of a database file. Everything closes with the scope, after the connections that the caller opens later. */
export const make = Effect.fnUntraced(function* ({
  file,
  isShared
}: Options): Effect.fn.Return<DurableLog, SqlError, Scope.Scope> {
  let index: WalIndex.WalIndex | undefined
  yield* Effect.addFinalizer(() => Effect.sync(() => index?.close()))
  const openReader = Effect.acquireRelease(
    Effect.try({ try: () => open(file, { isReader: true }), catch: fromOpening }),
    (database) => Effect.sync(() => database.close())
  )
  const databases = [yield* openReader, yield* openReader] as const
  const [log, snapshots, opened] = yield* Effect.acquireRelease(
    Effect.try({
      try: () => {
        // SQLite creates the log and its index with the first read.
        databases[0].exec(anyRead)
        // These connections may be within a transaction, in which SQLite does not read the header again.
        index = WalIndex.open(file, () => {
          const database = open(file, { isReader: true })
          try {
            database.exec(anyRead)
          } finally {
            database.close()
          }
        })
        const snapshots = Snapshots.make(databases)
        return [LogSync.make({ file, index, snapshots, isShared }), snapshots, index] as const
      },
      catch: fromOpening
    }),
    ([log]) => log.close
  )
  return { log, reads: snapshots.current, version: versionOf(() => snapshots.durable() ?? opened.read()) }
})
