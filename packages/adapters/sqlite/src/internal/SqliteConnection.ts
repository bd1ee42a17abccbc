/**
 * A connection of node:sqlite as the `Connection` of effect's SQL modules.
 */
import type { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import * as Stream from "effect/Stream"
import * as Scoped from "@holdfast/core/Scoped"
import * as Commits from "./log/Commits.ts"
import { closed, fromStatement } from "./SqliteError.ts"
import * as SqliteStatement from "./SqliteStatement.ts"

/** The rows of a stream that are read at a time. */
const chunkSize = 256

const readChunk = (rows: Iterator<object>): ReadonlyArray<object> => {
  const chunk: Array<object> = []
  for (let next = rows.next(); next.done !== true; next = rows.next()) {
    chunk.push(next.value)
    if (chunk.length === chunkSize) break
  }
  return chunk
}

/** Whether a database is open and has a transaction open. */
export const isInTransaction = (database: DatabaseSync): boolean => database.isOpen && database.isTransaction

/**
 * Makes a connection; one that writes reports its commits. A statement that needs a lock of another process fails at once;
 * `BusyRetry` retries it.
 */
export const make = (database: DatabaseSync, commits?: Commits.Commits): Connection => {
  const prepared = SqliteStatement.makeCache(database)
  const fresh = (sql: string) => SqliteStatement.prepare(database, sql)
  const isTransaction = () => isInTransaction(database)

  const attempt = <A>(sql: string, evaluate: () => A): Effect.Effect<A, SqlError> =>
    Effect.try({
      try:
        commits === undefined ? evaluate : () => Commits.track(commits, Commits.isCommit(sql, isTransaction), evaluate),
      catch: (thrown) => (database.isOpen ? fromStatement(sql)(thrown) : closed())
    })

  const rows = (entry: (sql: string) => SqliteStatement.Prepared, sql: string, params: ReadonlyArray<unknown>) =>
    attempt(sql, () => entry(sql).rows(params))

  const values = (entry: (sql: string) => SqliteStatement.Prepared, sql: string, params: ReadonlyArray<unknown>) =>
    attempt(sql, () => entry(sql).values(params))

  return {
    execute: (sql, params, transform) =>
      transform === undefined ? rows(prepared, sql, params) : Effect.map(rows(prepared, sql, params), transform),
    executeUnprepared: (sql, params, transform) =>
      transform === undefined ? rows(fresh, sql, params) : Effect.map(rows(fresh, sql, params), transform),
    executeRaw: (sql, params) => attempt(sql, () => SqliteStatement.raw(prepared(sql), params)),
    executeValues: (sql, params) => values(prepared, sql, params),
    executeValuesUnprepared: (sql, params) => values(fresh, sql, params),
    executeStream: (sql, params, transform) =>
      Stream.unwrap(
        Effect.map(
          // A statement that is not at its end keeps its read transaction, and so the log from being truncated.
          Scoped.acquire(
            attempt(sql, () => database.prepare(sql).iterate(...params.map(SqliteStatement.toInput))),
            (iterator) => Effect.sync(() => void (database.isOpen && iterator.return?.()))
          ),
          (iterator) =>
            Stream.paginate(iterator, () =>
              Effect.map(
                attempt(sql, () => readChunk(iterator)),
                (chunk) =>
                  [
                    transform === undefined ? chunk : transform(chunk),
                    chunk.length === chunkSize ? Option.some(iterator) : Option.none()
                  ] as const
              )
            )
        )
      )
  }
}
