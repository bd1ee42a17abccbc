/**
 * An SqlClient for SQLite, on node:sqlite.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import * as BusyRetry from "./internal/BusyRetry.ts"
import * as SqliteConnection from "./internal/SqliteConnection.ts"
import { fromOpening } from "./internal/SqliteError.ts"
import { open } from "./internal/SqliteFile.ts"

export interface Options {
  /**
   * The path of the database, or `:memory:` for a database that exists until the client is closed. A missing file is created
   * with mode 0600, a missing directory with mode 0700.
   */
  readonly file: string
  /** How long a statement waits for a lock of another process on the same file; 5 seconds when absent. */
  readonly busyTimeout?: Duration.Input | undefined
}

/**
 * Opens a database. The client has one connection: node:sqlite runs each statement synchronously on the calling thread, so
 * that a second connection would not be faster. Transactions begin as writers (`BEGIN IMMEDIATE`). Several processes may have
 * the same file open.
 */
export const make = ({
  busyTimeout = "5 seconds",
  file
}: Options): Effect.Effect<SqlClient.SqlClient, SqlError, Scope.Scope | Reactivity.Reactivity> =>
  Effect.gen(function* () {
    const database = yield* Effect.acquireRelease(Effect.try({ try: () => open(file), catch: fromOpening }), (opened) =>
      Effect.sync(() => opened.close())
    )
    const { borrower, ...acquirers } = SqlClient.makeSqliteAcquirers({
      connection: Effect.succeed(SqliteConnection.make(database)),
      semaphore: Semaphore.makeUnsafe(1),
      isTransaction: () => database.isTransaction
    })
    const busyRetry = BusyRetry.make(busyTimeout)
    const client = yield* SqlClient.make({
      ...acquirers,
      borrower: (use) => busyRetry.statement(borrower(use)),
      compiler: Statement.makeCompilerSqlite(),
      driver: "sqlite-node",
      beginTransaction: SqliteConnection.begin,
      releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
      prepareTransactionControls: true,
      spanAttributes: [["db.system.name", "sqlite"]]
    })
    const { withTransaction } = client
    return Object.assign(client, {
      withTransaction: <A, E, R>(self: Effect.Effect<A, E, R>) => busyRetry.transaction(withTransaction(self))
    })
  })

export const layer = (options: Options): Layer.Layer<SqlClient.SqlClient, SqlError> =>
  Layer.effect(SqlClient.SqlClient, make(options)).pipe(Layer.provide(Reactivity.layer))
