/**
 * Short reads: the statements that every request runs. A client that pipelines many statements over one connection runs them
 * at a third of the cost. It must not run a statement that may wait for a lock or take long, because the statements behind
 * it would wait, too.
 */
import { IsBackgroundWork } from "@holdfast/core/BackgroundWork"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Statement } from "effect/sql/Statement"
import type { Row } from "./internal/Row.ts"

/** A client for short reads from the same database; undefined when the main client is as fast. */
export const ReadClient = Context.Reference<SqlClient | undefined>("@holdfast/sql/ReadClient", {
  defaultValue: () => undefined
})

/** A client for reads of pages from the same database; undefined when the main client is as fast. */
export const PageClient = Context.Reference<SqlClient | undefined>("@holdfast/sql/PageClient", {
  defaultValue: () => undefined
})

/**
 * As `PageClient`, for the reads that workers repeat to find work. It is a client of its own, so that a slow one of these reads does
 * not send the pages of requests to the threads.
 */
export const PollClient = Context.Reference<SqlClient | undefined>("@holdfast/sql/PollClient", {
  defaultValue: () => undefined
})

/**
 * Returns a number that changes with each change of what `ReadClient` sees, also by other processes; undefined for a database where
 * that takes a statement.
 */
export const ReadVersion = Context.Reference<(() => number) | undefined>("@holdfast/sql/ReadVersion", {
  defaultValue: () => undefined
})

/** Runs a statement that reads few rows and waits for no lock. Inside a transaction it reads the transaction's own writes. */
export type ShortRead = (statement: (sql: SqlClient) => Statement<Row>) => Effect.Effect<ReadonlyArray<Row>, SqlError>

/** Returns the function that runs short reads: over `ReadClient` when there is one, otherwise over `sql`. */
export const make = (sql: SqlClient): Effect.Effect<ShortRead> =>
  Effect.map(ReadClient, (client): ShortRead => {
    if (client === undefined) return (statement) => statement(sql)
    return (statement) =>
      Effect.withFiber(({ context }) =>
        statement(Context.getOrUndefined(context, sql.transactionService) === undefined ? client : sql)
      )
  })

/** Runs the statements of a read with the client that suits it. */
export type PageRead = <A, E, R>(read: (sql: SqlClient) => Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Returns the function that reads pages: over `PageClient` when there is one, otherwise over `sql`. Each statement reads a range of
 * an index, of at most `maxPageRows` rows. Background work and transactions read over `sql`.
 */
export const makePages = (sql: SqlClient): Effect.Effect<PageRead> =>
  Effect.map(PageClient, (client): PageRead => {
    if (client === undefined) return (read) => read(sql)
    return (read) =>
      Effect.withFiber(({ context }) =>
        Context.get(context, IsBackgroundWork) || Context.getOrUndefined(context, sql.transactionService) !== undefined
          ? read(sql)
          : read(client)
      )
  })

/**
 * Returns the function that runs the reads that workers repeat to find work: over `PollClient` when there is one, also from
 * background work, never inside of a transaction. Mostly they find nothing, within a tenth of a millisecond. On the threads for long
 * reads they would keep one of these running without end.
 */
export const makePolls = (sql: SqlClient): Effect.Effect<PageRead> =>
  Effect.map(
    PollClient,
    (client): PageRead =>
      (read) =>
        read(client ?? sql)
  )

/** The rows that a statement of a `PageRead` reads at most. */
export const maxPageRows = 128

/** The same where a row has a key and three short columns: it takes less than half the time of a whole file. */
export const maxKeyRows = 256
