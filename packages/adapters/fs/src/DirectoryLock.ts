/**
 * One process at a time in a data directory.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Durable from "./Durable.ts"

/** The name of the lock's file inside the directory. Nothing else may open it; see `acquire`. */
export const fileName = "lock.sqlite"

/**
 * - `Held`: another process, or another part of this one, has the directory open.
 * - `Failed`: the lock could not be asked for; see `cause`.
 */
export class DirectoryLockError extends Data.TaggedError("DirectoryLockError")<{
  readonly reason: "Held" | "Failed"
  readonly directory: string
  readonly cause?: unknown
}> {
  override get message(): string {
    return this.reason === "Held"
      ? `Another process holds the data directory ${this.directory}. Stop it first, or choose another directory.`
      : `The data directory ${this.directory} cannot be locked.`
  }
}

/** SQLite's primary result code for a lock that somebody else has. */
const busy = 5

const isBusy = (cause: unknown): boolean =>
  cause instanceof Error && "errcode" in cause && typeof cause.errcode === "number" && (cause.errcode & 0xff) === busy

const open = (path: string): DatabaseSync => {
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    // In memory, since this transaction never ends in a commit and should leave no journal beside the lock.
    database.exec("PRAGMA journal_mode = MEMORY")
    database.exec("BEGIN EXCLUSIVE")
    // SQLite makes its files readable to all. By name: see below why not by a descriptor.
    Fs.chmodSync(path, Durable.fileMode)
    return database
  } catch (cause) {
    database.close()
    throw cause
  }
}

/**
 * Takes the directory for this process until the scope closes, making the directory if it is missing. Does not wait:
 * a directory that is held fails at once.
 *
 * The lock is the exclusive transaction of an empty SQLite database, because Node has neither `flock` nor `fcntl`, and
 * SQLite takes a real `fcntl` lock. The kernel drops that with the process, however it dies, so no stale lock is ever
 * to be recognised, as with a file that holds a process id (whose number may be another process's by then). Children
 * do not inherit it: a converter that outlives its server does not keep the directory. It belongs to the file, so it
 * holds between containers that share a volume, where a socket's name or a process id would not. And SQLite also keeps
 * apart two openings within one process, which `fcntl` alone would let pass.
 *
 * `fcntl` locks end when the process closes any descriptor of the file. So nothing else here may open the lock's file.
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
