/**
 * An SqlClient for SQLite, on node:sqlite.
 */
import type * as Duration from "effect/Duration"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import type * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Borrower, Connection } from "effect/sql/SqlConnection"
import * as Statement from "effect/sql/Statement"
import * as Stream from "effect/Stream"
import { IsBackgroundWork } from "@holdfast/core/BackgroundWork"
import * as FairPool from "@holdfast/sql/FairPool"
import * as BusyRetry from "./internal/BusyRetry.ts"
import * as SqliteConnection from "./internal/SqliteConnection.ts"
import { begin, fromOpening } from "./internal/SqliteError.ts"
import * as LogSync from "./internal/LogSync.ts"
import { memory, open, type OpenOptions } from "./internal/SqliteFile.ts"
import * as Writer from "./internal/Writer.ts"
import * as Readers from "./internal/threads/Readers.ts"

export interface Options {
  /**
   * The path of the database, or `:memory:` for a database that exists until the client is closed. A missing file is created
   * with mode 0600, a missing directory with mode 0700.
   */
  readonly file: string
  /** How long a statement waits for a lock of another process on the same file; 5 seconds when absent. */
  readonly busyTimeout?: Duration.Input | undefined
  /**
   * How long a transaction waits for the ones before it, and a read for a free thread; unlimited when absent. SQLite cannot
   * stop a statement that runs.
   */
  readonly statementTimeout?: Duration.Input | undefined
}

/** A statement that only reads, and may therefore run on a connection that cannot write. */
const isRead = (sql: string): boolean =>
  /^\s*(?:SELECT|VALUES)\b/i.test(sql) ||
  (/^\s*WITH\b/i.test(sql) && !/\b(?:INSERT|UPDATE|DELETE|REPLACE)\b/i.test(sql))

/** Runs reads on `readers`, and all other statements as `write` does. */
const route = (readers: Connection, write: Borrower): Connection => {
  const choose =
    (method: "execute" | "executeUnprepared"): Connection["execute"] =>
    (sql, params, transform) =>
      isRead(sql)
        ? readers[method](sql, params, transform)
        : write((connection) => connection[method](sql, params, transform))
  const chooseValues =
    (method: "executeValues" | "executeValuesUnprepared"): Connection["executeValues"] =>
    (sql, params) =>
      isRead(sql) ? readers[method](sql, params) : write((connection) => connection[method](sql, params))
  return {
    execute: choose("execute"),
    executeUnprepared: choose("executeUnprepared"),
    executeRaw: (sql, params) => write((connection) => connection.executeRaw(sql, params)),
    executeValues: chooseValues("executeValues"),
    executeValuesUnprepared: chooseValues("executeValuesUnprepared"),
    // Not used: a stream holds a connection of its own.
    executeStream: (sql, params, transform) =>
      Stream.unwrap(write((connection) => Effect.succeed(connection.executeStream(sql, params, transform))))
  }
}

const openDatabase = (file: string, options?: OpenOptions) =>
  Effect.acquireRelease(Effect.try({ try: () => open(file, options), catch: fromOpening }), (opened) =>
    Effect.sync(() => opened.close())
  )

const common = {
  compiler: Statement.makeCompilerSqlite(),
  driver: "sqlite-node",
  spanAttributes: [["db.system.name", "sqlite"]]
} as const

/**
 * Opens a database. Transactions begin as writers (`BEGIN IMMEDIATE`), one at a time; the others wait, and tenants take turns.
 * Several processes may have the same file open.
 *
 * node:sqlite runs each statement synchronously. Transactions and statements of requests that write run on the calling thread:
 * they are short, and messages to another thread would take longer than they do. Reads outside of a transaction, and all
 * statements of background work, may take long: those of a database in a file run on threads of their own. So does the fsync
 * that makes a request's commit durable: requests that commit at the same time share it (`LogSync`).
 */
export const make = ({
  busyTimeout = "5 seconds",
  file,
  statementTimeout
}: Options): Effect.Effect<SqlClient.SqlClient, SqlError, Scope.Scope | Reactivity.Reactivity> =>
  Effect.gen(function* () {
    const log = file === memory ? undefined : yield* LogSync.make(file)
    const writer = Writer.fromDatabase(yield* openDatabase(file, { syncsCommits: log === undefined }))
    const backgroundWriter = file === memory ? writer : yield* Writer.onThread(file)
    const currentWriter = Effect.map(IsBackgroundWork, (isBackground) => (isBackground ? backgroundWriter : writer))
    const writerOf = (connection: Connection) => (connection === writer.connection ? writer : backgroundWriter)
    const turns = FairPool.make({ size: 1, timeout: statementTimeout })
    const busyRetry = BusyRetry.make(busyTimeout)
    /** Makes a change durable after its turn, so that the next one can begin meanwhile. */
    const durably = <A, E, R>(change: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
      log === undefined
        ? change
        : Effect.onExit(Effect.andThen(log.check, change), (exit) => (Exit.isSuccess(exit) ? log.sync : Effect.void))
    const writeWith =
      ({ borrower }: Writer.Writer): Borrower =>
      (use) =>
        busyRetry.statement(turns.use(borrower(use)))
    const write: Borrower = (use) =>
      Effect.flatMap(IsBackgroundWork, (isBackground) =>
        isBackground ? writeWith(backgroundWriter)(use) : durably(writeWith(writer)(use))
      )
    const routed = file === memory ? undefined : route(yield* Readers.make({ file, timeout: statementTimeout }), write)
    const client = yield* SqlClient.make({
      ...common,
      // For streams, and for reserved connections, whose commits this client does not see: that thread makes them durable.
      acquirer: Effect.andThen(turns.acquire, backgroundWriter.acquirer),
      transactionAcquirer: Effect.andThen(
        turns.acquire,
        Effect.flatMap(currentWriter, ({ acquirer }) => acquirer)
      ),
      borrower: routed === undefined ? write : (use) => use(routed),
      onCommitFailure: (connection) => writerOf(connection).onCommitFailure(connection),
      isTransaction: (connection) => writerOf(connection).isTransaction(),
      beginTransaction: begin,
      releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
      prepareTransactionControls: true
    })
    const { transactionService, withTransaction } = client
    return Object.assign(client, {
      withTransaction: <A, E, R>(self: Effect.Effect<A, E, R>) =>
        Effect.withFiber<A, E | SqlError, R>((fiber) => {
          const transaction = busyRetry.transaction(withTransaction(self))
          const isNested = Context.getOrUndefined(fiber.context, transactionService) !== undefined
          return isNested || fiber.getRef(IsBackgroundWork) ? transaction : durably(transaction)
        })
    })
  })

/**
 * Opens a client for short reads: it runs them on the calling thread, without waiting for a transaction. Undefined for a
 * database in memory, which only one connection can use.
 */
export const makeReadClient = ({
  busyTimeout = "5 seconds",
  file
}: Options): Effect.Effect<SqlClient.SqlClient | undefined, SqlError, Scope.Scope | Reactivity.Reactivity> =>
  file === memory
    ? Effect.succeed(undefined)
    : Effect.gen(function* () {
        const connection = SqliteConnection.make(yield* openDatabase(file, { isReader: true }))
        const busyRetry = BusyRetry.make(busyTimeout)
        return yield* SqlClient.make({
          ...common,
          acquirer: Effect.succeed(connection),
          borrower: (use) => busyRetry.statement(use(connection))
        })
      })

export const layer = (options: Options): Layer.Layer<SqlClient.SqlClient, SqlError> =>
  Layer.effect(SqlClient.SqlClient, make(options)).pipe(Layer.provide(Reactivity.layer))
