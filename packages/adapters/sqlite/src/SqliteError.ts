/**
 * What node:sqlite throws, as errors of an SqlClient.
 */
import * as Predicate from "effect/Predicate"
import { classifySqliteError, ConnectionError, SqlError } from "effect/sql/SqlError"

/** Of a primary key: told like any other unique index. */
const primaryKey = 1555
const unique = 2067

/** Carries the extended result code where the classification looks for it. */
class SqliteFault extends Error {
  readonly errno: number
  constructor(cause: Error, errno: number) {
    super(cause.message, { cause })
    this.errno = errno
  }
}

const codeOf = (thrown: unknown): number | undefined =>
  Predicate.hasProperty(thrown, "errcode") && typeof thrown.errcode === "number" ? thrown.errcode : undefined

/** The error of a failed call of node:sqlite, by its extended result code (`errcode`). */
export const fromThrown =
  (operation: string) =>
  (thrown: unknown): SqlError => {
    const message = `SQLite: ${operation} failed`
    const code = codeOf(thrown)
    const cause =
      thrown instanceof Error && code !== undefined
        ? new SqliteFault(thrown, code === primaryKey ? unique : code)
        : thrown
    return new SqlError({ reason: classifySqliteError(cause, { message, operation }) })
  }

/** The error of a database that cannot be opened: SQLite's own, or the file system's. */
export const fromOpening = (thrown: unknown): SqlError =>
  codeOf(thrown) === undefined
    ? new SqlError({
        reason: new ConnectionError({ cause: thrown, message: "SQLite: open failed", operation: "open" })
      })
    : fromThrown("open")(thrown)
