/**
 * How statements fail, and the one place where that becomes the error of the repository ports.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { MetadataError, type Reason } from "@holdfast/core/MetadataError"

/** A row does not hold what its column promises: the database was changed by someone else, or by a bug. */
export class RowFault extends Data.TaggedError("RowFault")<{
  readonly column: string
  readonly cause?: unknown
}> {
  override get message(): string {
    return `The column ${this.column} holds an unexpected value.`
  }
}

export type SqlFailure = SqlError | RowFault

/** What the driver says itself: an SQLSTATE of PostgreSQL, or an extended result code of SQLite. */
const codeOf = (cause: unknown): string | number | undefined => {
  if (Predicate.hasProperty(cause, "errno") && typeof cause.errno === "number") return cause.errno
  return Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : undefined
}

/**
 * The client classifies only part of the codes: a server that shuts down (57P01), starts (57P03), became a standby
 * (25006) or has no connection left (53300) arrives as an unknown error.
 */
const reasonOfSqlState = (code: string): Reason => {
  if (code === "53100") return "StorageFull"
  if (code.startsWith("40")) return "Contention"
  return code.startsWith("57P") || code.startsWith("53") || code === "25006" ? "Unavailable" : "Internal"
}

const sqlite = { ioError: 10, full: 13, protocol: 15, sharedMemorySize: 4874 }

/** A full disk is SQLITE_FULL, or SQLITE_IOERR_SHMSIZE where the write-ahead index could not grow. */
const reasonOfSqliteCode = (code: number): Reason => {
  if ((code & 0xff) === sqlite.full || code === sqlite.sharedMemorySize) return "StorageFull"
  return (code & 0xff) === sqlite.ioError || (code & 0xff) === sqlite.protocol ? "Unavailable" : "Internal"
}

const reasonOf = (failure: unknown): Reason => {
  if (!isSqlError(failure)) return "Internal"
  switch (failure.reason._tag) {
    case "ConnectionError":
    case "LockTimeoutError":
    case "StatementTimeoutError":
      return "Unavailable"
    case "DeadlockError":
    case "SerializationError":
      return "Contention"
    default: {
      const code = codeOf(failure.reason.cause)
      if (code === undefined) return "Internal"
      return typeof code === "string" ? reasonOfSqlState(code) : reasonOfSqliteCode(code)
    }
  }
}

/** The error of the ports for a failed statement, or for a row that cannot be read. */
export const toMetadataError = (operation: string, failure: unknown): MetadataError =>
  new MetadataError({ reason: reasonOf(failure), operation, cause: failure })

const isOther = <E>(error: E): error is Exclude<E, SqlFailure> => !isSqlError(error) && !(error instanceof RowFault)

/** Names a repository's method: what its statements fail with becomes a `MetadataError`, other errors pass. */
export const operation =
  (name: string) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, SqlFailure> | MetadataError, R> =>
    Effect.mapError(self, (error) => (isOther(error) ? error : toMetadataError(name, error)))
