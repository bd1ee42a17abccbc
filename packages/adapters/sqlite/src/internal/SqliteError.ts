/**
 * Converts what node:sqlite throws to errors of an SqlClient.
 */
import * as Predicate from "effect/Predicate"
import { classifySqliteError, ConnectionError, isSqlError, SqlError } from "effect/sql/SqlError"

/** SQLITE_CONSTRAINT_PRIMARYKEY. It is reported as `uniqueViolation`, like a violation of any other unique index. */
const primaryKeyViolation = 1555
/** SQLITE_CONSTRAINT_UNIQUE. */
const uniqueViolation = 2067

/** An error with the extended result code in `errno`, from which `classifySqliteError` reads it. */
class SqliteFault extends Error {
  readonly errno: number
  constructor(cause: Error, errno: number) {
    super(cause.message, { cause })
    this.errno = errno
  }
}

/** Returns the extended result code of an error of node:sqlite; undefined for another error. */
export const codeOf = (thrown: unknown): number | undefined =>
  Predicate.hasProperty(thrown, "errcode") && typeof thrown.errcode === "number" ? thrown.errcode : undefined

/** Returns the error for a failed call of node:sqlite, by its extended result code (`errcode`). An `SqlError` stays. */
export const fromThrown =
  (operation: string) =>
  (thrown: unknown): SqlError => {
    if (isSqlError(thrown)) return thrown
    const message = `SQLite: ${operation} failed`
    const code = codeOf(thrown)
    const cause =
      thrown instanceof Error && code !== undefined
        ? new SqliteFault(thrown, code === primaryKeyViolation ? uniqueViolation : code)
        : thrown
    return new SqlError({ reason: classifySqliteError(cause, { message, operation }) })
  }

/** Begins a transaction as the only writer, so that no later statement of it waits for a lock. */
export const begin = "BEGIN IMMEDIATE"

/** SQLITE_BUSY: another connection has the lock. */
const busy = 5

const ofBegin = fromThrown("begin")
const ofOther = fromThrown("execute")

let busyAtBegin: SqlError | undefined

/**
 * Returns the error for a failed beginning of a transaction. Where several processes write, another one often has the lock: that is one
 * error for all, because to make one takes 20 µs.
 */
const fromBegin = (thrown: unknown): SqlError =>
  codeOf(thrown) === busy ? (busyAtBegin ??= ofBegin(thrown)) : ofBegin(thrown)

/** Returns the error for a failed statement. Its operation is `begin` for the beginning of a transaction. */
export const fromStatement = (sql: string): ((thrown: unknown) => SqlError) => (sql === begin ? fromBegin : ofOther)

/** Returns the error of a statement after its database was closed. */
export const closed = (): SqlError =>
  new SqlError({
    reason: new ConnectionError({
      cause: undefined,
      message: "SQLite: the database is closed",
      operation: "execute"
    })
  })

/** Returns the error for a database that cannot be opened, because of SQLite or of the file system. */
export const fromOpening = (thrown: unknown): SqlError =>
  codeOf(thrown) === undefined
    ? new SqlError({
        reason: new ConnectionError({ cause: thrown, message: "SQLite: open failed", operation: "open" })
      })
    : fromThrown("open")(thrown)
