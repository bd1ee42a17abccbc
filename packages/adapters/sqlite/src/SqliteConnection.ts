/**
 * One connection of node:sqlite as effect's SQL modules want it.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import * as Stream from "effect/Stream"
import { fromThrown } from "./SqliteError.ts"

/** Begins a transaction as the only writer: nothing inside it waits for a lock any more. */
export const begin = "BEGIN IMMEDIATE"

/** How many statements stay prepared; the ones that were not used for longest go first. */
const maxPrepared = 256

/** Rows of a stream that are read at a time. */
const chunkSize = 256

interface Prepared {
  readonly statement: StatementSync
  readonly answers: boolean
}

const prepare = (database: DatabaseSync, sql: string): Prepared => {
  const statement = database.prepare(sql)
  return { statement, answers: statement.columns().length > 0 }
}

const makeCache = (database: DatabaseSync) => {
  const entries = new Map<string, Prepared>()
  return (sql: string): Prepared => {
    const found = entries.get(sql)
    if (found !== undefined) {
      entries.delete(sql)
      entries.set(sql, found)
      return found
    }
    const entry = prepare(database, sql)
    entries.set(sql, entry)
    const [oldest] = entries.keys()
    if (entries.size > maxPrepared && oldest !== undefined) entries.delete(oldest)
    return entry
  }
}

/** A parameter as SQLite can take it; what it cannot is refused by node:sqlite itself. */
const toInput = (value: unknown): SQLInputValue => {
  if (typeof value === "string" || typeof value === "number" || typeof value === "bigint") return value
  if (value === null || value === undefined) return null
  if (typeof value === "boolean") return value ? 1 : 0
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return value
  throw new TypeError(`A parameter of type ${typeof value} cannot be bound`)
}

const isValues = (row: unknown): row is ReadonlyArray<unknown> => Array.isArray(row)

const take = (rows: Iterator<object>): ReadonlyArray<object> => {
  const chunk: Array<object> = []
  for (let next = rows.next(); next.done !== true; next = rows.next()) {
    chunk.push(next.value)
    if (chunk.length === chunkSize) break
  }
  return chunk
}

/** Makes a connection. A statement that meets a lock of another process fails at once; `Patience` waits. */
export const make = (database: DatabaseSync): Connection => {
  const prepared = makeCache(database)
  const fresh = (sql: string) => prepare(database, sql)

  const attempt = <A>(sql: string, evaluate: () => A): Effect.Effect<A, SqlError> =>
    Effect.try({ try: evaluate, catch: fromThrown(sql === begin ? "begin" : "execute") })

  const rows = (entry: (sql: string) => Prepared, sql: string, params: ReadonlyArray<unknown>) =>
    attempt(sql, () => {
      const { answers, statement } = entry(sql)
      if (answers) return statement.all(...params.map(toInput))
      statement.run(...params.map(toInput))
      return []
    })

  const values = (sql: string, params: ReadonlyArray<unknown>) =>
    attempt(sql, () => {
      const { statement } = fresh(sql)
      statement.setReturnArrays(true)
      const found: ReadonlyArray<unknown> = statement.all(...params.map(toInput))
      return found.filter(isValues)
    })

  return {
    execute: (sql, params, transform) =>
      transform === undefined ? rows(prepared, sql, params) : Effect.map(rows(prepared, sql, params), transform),
    executeUnprepared: (sql, params, transform) =>
      transform === undefined ? rows(fresh, sql, params) : Effect.map(rows(fresh, sql, params), transform),
    executeRaw: (sql, params) =>
      attempt(sql, () => {
        const { answers, statement } = prepared(sql)
        return answers ? statement.all(...params.map(toInput)) : statement.run(...params.map(toInput))
      }),
    executeValues: values,
    executeValuesUnprepared: values,
    executeStream: (sql, params, transform) =>
      Stream.unwrap(
        Effect.map(
          attempt(sql, () => fresh(sql).statement.iterate(...params.map(toInput))),
          (iterator) =>
            Stream.paginate(iterator, () =>
              Effect.map(
                attempt(sql, () => take(iterator)),
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
