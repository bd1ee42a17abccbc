/**
 * A connection that writes, with what a client needs to lend it. The caller lends one writer at a time.
 */
import type { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import type { FairPool } from "@holdfast/sql/FairPool"
import type { Commits } from "./log/Commits.ts"
import * as SqliteConnection from "./SqliteConnection.ts"
import * as Thread from "./threads/Thread.ts"
import * as ThreadConnection from "./threads/ThreadConnection.ts"

const make = (connection: Connection, isTransaction: () => boolean, ready: Effect.Effect<void>) => ({
  ...SqlClient.makeSqliteAcquirers({
    connection: Effect.succeed(connection),
    semaphore: Semaphore.makeUnsafe(1),
    isTransaction
  }),
  connection,
  isTransaction,
  /** Waits until statements can run at once. */
  ready
})

export type Writer = ReturnType<typeof make>

/** Lends a writer for one turn. It is ready before that, so that no other one waits for it. */
export const lend = <A, E, R>(
  turns: FairPool,
  { borrower, ready }: Writer,
  use: (connection: Connection) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError, R> => Effect.andThen(ready, turns.use(borrower(use)))

/** Runs statements on the calling thread. */
export const fromDatabase = (database: DatabaseSync, commits?: Commits): Writer =>
  make(SqliteConnection.make(database, commits), () => SqliteConnection.isInTransaction(database), Effect.void)

/** Runs statements on a thread of its own, which ends when the scope closes. */
export const onThread = (file: string, commits: Commits): Effect.Effect<Writer, never, Scope.Scope> =>
  Effect.map(Thread.makeScoped({ file, isReader: false }), (thread) =>
    make(ThreadConnection.make(ThreadConnection.tracking(thread, commits)), thread.isTransaction, thread.ready)
  )
