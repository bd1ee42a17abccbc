/**
 * The messages between a thread that has a database open and the thread that started it.
 */
import type { SQLInputValue } from "node:sqlite"
import type { Result } from "../SqliteStatement.ts"

/** What a thread is started with. */
export interface ThreadOptions {
  readonly file: string
  /** Whether statements that change the database fail. */
  readonly isReader: boolean
}

/**
 * A statement to run. `rows` and `values` prepare it once, `fresh` each time; `values` returns arrays without names, `raw` one
 * row: what node:sqlite returns. `close` has no statement: the thread closes the database and ends.
 */
export interface Request {
  readonly id: number
  readonly kind: "rows" | "fresh" | "values" | "raw" | "close"
  readonly sql: string
  readonly params: ReadonlyArray<SQLInputValue>
}

/** An error that node:sqlite has thrown; an `Error` would lose its code on the way. */
export interface Failure {
  readonly message: string
  readonly errcode?: unknown
}

export interface Reply {
  readonly id: number
  readonly result?: Result
  /** Whether a transaction is open after the statement. */
  readonly isTransaction: boolean
  readonly failure?: Failure
}
