/**
 * Maps failed statements to the error of the repository ports, `MetadataError`.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { MetadataError, type Reason } from "@holdfast/core/MetadataError"

/** A column has a value that the repositories never write: another program or a bug changed the database. */
export class RowFault extends Data.TaggedError("RowFault")<{
  readonly column: string
  readonly cause?: unknown
}> {
  override get message(): string {
    return `The column ${this.column} has an unexpected value.`
  }
}

/** The cause of an `SqlError` of a commit that may have taken place. */
export class OutcomeUnknown extends Data.TaggedError("OutcomeUnknown")<{ readonly cause: unknown }> {
  override get message(): string {
    return "Whether the transaction was committed is unknown."
  }
}

const isOutcomeUnknown = (failure: unknown): boolean =>
  isSqlError(failure) && failure.reason.cause instanceof OutcomeUnknown

export type SqlFailure = SqlError | RowFault

/** Returns the driver's own code: an SQLSTATE of PostgreSQL, or an extended result code of SQLite. */
const codeOf = (cause: unknown): string | number | undefined => {
  if (Predicate.hasProperty(cause, "errno") && typeof cause.errno === "number") return cause.errno
  return Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : undefined
}

/**
 * Classifies the SQLSTATEs that the client reports as unknown errors, such as a server that shuts down (57P01), starts
 * (57P03), became a standby (25006), ended a transaction that was idle (25P03) or has no free connection (53300).
 */
const reasonOfSqlState = (code: string): Reason => {
  if (code === "53100") return "StorageFull"
  if (code.startsWith("40")) return "Contention"
  return /^(57P|53|25006|25P03)/.test(code) ? "Unavailable" : "Internal"
}

const sqlite = { ioError: 10, full: 13, protocol: 15, sharedMemorySize: 4874 }

/** A full disk is SQLITE_FULL, or SQLITE_IOERR_SHMSIZE when SQLite could not extend the index of the write-ahead log. */
const reasonOfSqliteCode = (code: number): Reason => {
  if ((code & 0xff) === sqlite.full || code === sqlite.sharedMemorySize) return "StorageFull"
  return (code & 0xff) === sqlite.ioError || (code & 0xff) === sqlite.protocol ? "Unavailable" : "Internal"
}

const reasonOf = (failure: unknown): Reason => {
  if (!isSqlError(failure)) return "Internal"
  switch (failure.reason._tag) {
    case "ConnectionError":
      return "Unavailable"
    case "LockTimeoutError":
    case "StatementTimeoutError":
      return "Timeout"
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

/** Returns the port's error for a failed statement or for a row with an unexpected value. */
export const toMetadataError = (operation: string, failure: unknown): MetadataError =>
  new MetadataError({
    reason: reasonOf(failure),
    operation,
    cause: failure,
    ...(isOutcomeUnknown(failure) ? { isOutcomeUnknown: true } : {})
  })

const isOther = <E>(error: E): error is Exclude<E, SqlFailure> => !isSqlError(error) && !(error instanceof RowFault)

/** Maps failures of a repository method's statements to a `MetadataError` with the method's name. Other errors pass through. */
export const operation =
  (name: string) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, SqlFailure> | MetadataError, R> =>
    Effect.mapError(self, (error) => (isOther(error) ? error : toMetadataError(name, error)))
