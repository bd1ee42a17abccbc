/**
 * The lock that allows one process at a time to use a data directory.
 */
import * as BuiltinModule from "@holdfast/core/deployment/BuiltinModule"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Fs from "node:fs"
import * as Path from "node:path"
import type * as NodeSqlite from "node:sqlite"
import * as DirectoryOwner from "./DirectoryOwner.ts"
import * as Durable from "./internal/Durable.ts"

const { DatabaseSync } = BuiltinModule.get<typeof NodeSqlite>("node:sqlite")
type DatabaseSync = NodeSqlite.DatabaseSync

/** The name of the lock file inside the directory. No other code may open it; see `acquire`. */
export const fileName = "lock.sqlite"

/**
 * - `Held`: another process, or other code in this process, holds the lock.
 * - `Failed`: the lock file could not be created or locked; see `cause`.
 */
export class DirectoryLockError extends Data.TaggedError("DirectoryLockError")<{
  readonly reason: "Held" | "Failed"
  readonly directory: string
  readonly cause?: unknown
}> {
  override get message(): string {
    return this.reason === "Held"
      ? `Another process holds the data directory ${this.directory}. Stop that process, or use another directory.`
      : `The data directory ${this.directory} cannot be locked.`
  }
}

/** SQLITE_BUSY, the primary result code for a lock that another connection holds. */
const busy = 5

const isBusy = (cause: unknown): boolean =>
  cause instanceof Error && "errcode" in cause && typeof cause.errcode === "number" && (cause.errcode & 0xff) === busy

/**
 * Creates the lock file, unless it exists, for the owner of the directory: SQLite creates files that every user can read. No other code
 * has a new file open, so that the descriptor may be closed: see `acquire`.
 */
const create = (path: string): void => {
  let descriptor: number
  try {
    descriptor = Fs.openSync(path, "wx", Durable.fileMode)
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return
    throw error
  }
  try {
    DirectoryOwner.make(Path.dirname(path)).give(descriptor)
  } finally {
    Fs.closeSync(descriptor)
  }
}

const open = (path: string): DatabaseSync => {
  create(path)
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    // The transaction never commits. With the journal in memory it creates no journal file beside the lock file.
    database.exec("PRAGMA journal_mode = MEMORY")
    database.exec("BEGIN EXCLUSIVE")
    return database
  } catch (cause) {
    database.close()
    throw cause
  }
}

/**
 * Locks the directory for this process until the scope closes. Creates the directory if it is missing. Does not wait: fails
 * at once when the lock is held.
 *
 * The lock is the exclusive transaction of an empty SQLite database, because Node offers neither `flock` nor `fcntl`, and
 * SQLite takes a real `fcntl` lock:
 *
 * - The kernel releases it when the process ends in any way. There are no stale locks to detect, as there are with a file
 *   that contains a process id, which another process may have by then.
 * - Child processes do not inherit it. A transcoder that outlives the server does not keep the directory locked.
 * - It belongs to the file, so it works between containers that share a volume; a socket's name or a process id would not.
 * - SQLite also excludes a second opening within the same process, which `fcntl` alone would allow.
 *
 * A process loses its `fcntl` locks on a file when it closes any descriptor of the file. Therefore no other code may open
 * the lock file.
 */
export const acquire = (directory: string): Effect.Effect<void, DirectoryLockError, Scope.Scope> => {
  const failed = (cause: unknown) =>
    new DirectoryLockError({ reason: isBusy(cause) ? "Held" : "Failed", directory, cause })
  return Durable.makePath(Path.resolve(directory)).pipe(
    Effect.mapError((error) => failed(error.cause)),
    Effect.andThen(
      Effect.acquireRelease(
        Effect.try({ try: () => open(Path.join(directory, fileName)), catch: failed }),
        (database) => Effect.sync(() => database.close())
      )
    ),
    Effect.asVoid
  )
}
