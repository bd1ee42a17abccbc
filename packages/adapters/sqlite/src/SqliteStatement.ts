/**
 * Prepared statements of node:sqlite, with parameters and rows as effect's SQL modules have them.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite"

export interface Prepared {
  readonly statement: StatementSync
  /** Whether it answers with rows. */
  readonly answers: boolean
  /** Runs it to the end; no rows where it answers with none. */
  readonly rows: (params: ReadonlyArray<unknown>) => ReadonlyArray<object>
}

/** How many statements stay prepared; the oldest go first. To move up each one that is used costs more than it saves. */
const maxPrepared = 256

/** A parameter as SQLite can take it; what it cannot is refused by node:sqlite itself. */
export const toInput = (value: unknown): SQLInputValue => {
  if (typeof value === "string" || typeof value === "number" || typeof value === "bigint") return value
  if (value === null || value === undefined) return null
  if (typeof value === "boolean") return value ? 1 : 0
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return value
  throw new TypeError(`A parameter of type ${typeof value} cannot be bound`)
}

const isValues = (row: unknown): row is ReadonlyArray<unknown> => Array.isArray(row)

/** All rows of a statement, as arrays of values. */
export const values = (
  statement: StatementSync,
  params: ReadonlyArray<unknown>
): ReadonlyArray<ReadonlyArray<unknown>> => {
  statement.setReturnArrays(true)
  const rows: ReadonlyArray<unknown> = statement.all(...params.map(toInput))
  return rows.filter(isValues)
}

const named = (names: ReadonlyArray<string>, row: ReadonlyArray<unknown>): object => {
  const object: Record<string, unknown> = {}
  names.forEach((name, index) => {
    object[name] = row[index]
  })
  return object
}

const reader = (statement: StatementSync, sql: string, names: ReadonlyArray<string>): Prepared["rows"] => {
  if (names.length === 0) {
    return (params) => {
      statement.run(...params.map(toInput))
      return []
    }
  }
  // What a star stands for changes when any process changes the table; SQLite prepares anew by itself then.
  if (sql.includes("*")) return (params) => statement.all(...params.map(toInput))
  // node:sqlite would make each name anew for each row, and a dictionary of the row: 12 µs for a file's instead of 9.
  return (params) => values(statement, params).map((row) => named(names, row))
}

export const prepare = (database: DatabaseSync, sql: string): Prepared => {
  const statement = database.prepare(sql)
  const names = statement.columns().map(({ name }) => name)
  return { statement, answers: names.length > 0, rows: reader(statement, sql, names) }
}

/** Prepares, and keeps what was prepared. */
export const makeCache = (database: DatabaseSync): ((sql: string) => Prepared) => {
  const entries = new Map<string, Prepared>()
  return (sql) => {
    const found = entries.get(sql)
    if (found !== undefined) return found
    const entry = prepare(database, sql)
    entries.set(sql, entry)
    const [oldest] = entries.keys()
    if (entries.size > maxPrepared && oldest !== undefined) entries.delete(oldest)
    return entry
  }
}
