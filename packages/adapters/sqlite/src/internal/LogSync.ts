/**
 * Makes the commits of a connection durable without blocking the thread that commits: an fsync of the write-ahead log in the
 * thread pool of libuv. All commits that wait meanwhile share the next one.
 *
 * The connection has `synchronous = NORMAL`: SQLite appends a commit to the log, and syncs the log itself before it copies
 * pages into the database. The checksums of the log make a commit whose pages are incomplete invisible after a crash. So a
 * commit is as durable after this fsync as with `synchronous = FULL`, where SQLite calls fsync inside of COMMIT.
 */
import { closeSync, fsync, openSync } from "node:fs"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { ConnectionError, SqlError } from "effect/sql/SqlError"

export interface LogSync {
  /** Returns when all commits until now are durable. */
  readonly sync: Effect.Effect<void, SqlError>
  /**
   * Fails once an fsync has failed. The kernel may then have dropped pages of the log, and a later fsync would succeed without
   * them. So nothing may be committed until the database is opened again.
   */
  readonly check: Effect.Effect<void, SqlError>
}

const notSynced = (cause: unknown): SqlError =>
  new SqlError({
    reason: new ConnectionError({
      cause,
      message: "SQLite: the write-ahead log could not be synced; open the database again",
      operation: "commit"
    })
  })

type Resume = (outcome: Effect.Effect<void, SqlError>) => void

/** Opens the log; undefined when it does not exist. SQLite creates it with the first change of the database. */
const openLog = (file: string): number | undefined => {
  try {
    return openSync(`${file}-wal`, "r+")
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined
    throw error
  }
}

/** Makes the synchronisation of the log of a database file. */
export const make = (file: string): Effect.Effect<LogSync, never, Scope.Scope> =>
  Effect.gen(function* () {
    let descriptor: number | undefined
    let failure: SqlError | undefined
    let isSyncing = false
    let waiting: Array<Resume> = []

    const start = (log: number): void => {
      const included = waiting
      waiting = []
      isSyncing = true
      fsync(log, (error) => {
        isSyncing = false
        if (error !== null) failure = notSynced(error)
        // Commits that came during this fsync may not be part of it.
        if (waiting.length > 0) start(log)
        for (const resume of included) resume(failure === undefined ? Effect.void : Effect.fail(failure))
      })
    }

    yield* Effect.addFinalizer(() => Effect.sync(() => descriptor !== undefined && closeSync(descriptor)))

    return {
      check: Effect.suspend(() => (failure === undefined ? Effect.void : Effect.fail(failure))),
      sync: Effect.uninterruptible(
        Effect.callback<void, SqlError>((resume) => {
          try {
            descriptor ??= openLog(file)
          } catch (error) {
            failure = notSynced(error)
          }
          if (failure !== undefined) return resume(Effect.fail(failure))
          if (descriptor === undefined) return resume(Effect.void)
          waiting.push(resume)
          if (!isSyncing) start(descriptor)
        })
      )
    }
  })
