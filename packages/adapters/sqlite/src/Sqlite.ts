/**
 * An SqlClient for SQLite, on node:sqlite.
 */
import type { DatabaseSync } from "node:sqlite"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import type * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Borrower, Connection } from "effect/sql/SqlConnection"
import * as Statement from "effect/sql/Statement"
import * as Stream from "effect/Stream"
import { IsBackgroundWork } from "@holdfast/core/BackgroundWork"
import { StoreFailure } from "@holdfast/core/storage/StoreFailure"
import * as FairPool from "@holdfast/sql/FairPool"
import { toMetadataError } from "@holdfast/sql/SqlFailure"
import * as BusyRetry from "./internal/BusyRetry.ts"
import { begin, closed, fromOpening, fromThrown } from "./internal/SqliteError.ts"
import * as Checkpoints from "./internal/log/Checkpoints.ts"
import * as DurableLog from "./internal/log/DurableLog.ts"
import * as GroupCommit from "./internal/GroupCommit.ts"
import * as PageReads from "./internal/PageReads.ts"
import { create, memory, open } from "./internal/SqliteFile.ts"
import * as Transactions from "./internal/Transactions.ts"
import * as Writer from "./internal/Writer.ts"
import * as Readers from "./internal/threads/Readers.ts"

export interface Options {
  /**
   * The path of the database, or `:memory:` for a database that exists until the client is closed. A missing file is created
   * with mode 0600, a missing directory with mode 0700.
   */
  readonly file: string
  /** Is called with the descriptor of the file when it is created. */
  readonly onCreate?: ((descriptor: number) => void) | undefined
  /** How long a statement waits for a lock of another process on the same file; 5 seconds when absent. */
  readonly busyTimeout?: Duration.Input | undefined
  /**
   * How long a transaction waits for the ones before it, and a read for a free thread; unlimited when absent. SQLite cannot
   * stop a statement that runs.
   */
  readonly statementTimeout?: Duration.Input | undefined
  /**
   * The part of this process when several processes of one service use the file: each one reads what the others have committed at
   * once, and only when it is durable. One of them, the `keeper`, runs the checkpoints. Absent for a process that uses the file alone,
   * apart from the commands of operators.
   */
  readonly sharing?: Sharing | undefined
}

/** @see Options.sharing */
export type Sharing = "keeper" | "member"

/** A statement that only reads, and may therefore run on a connection that cannot write. */
const isRead = (sql: string): boolean =>
  /^\s*(?:SELECT|VALUES)\b/i.test(sql) ||
  (/^\s*WITH\b/i.test(sql) && !/\b(?:INSERT|UPDATE|DELETE|REPLACE)\b/i.test(sql))

/** A statement that may run in a transaction with others. */
const isChange = (sql: string): boolean => /^\s*(?:INSERT|UPDATE|DELETE|WITH)\b/i.test(sql)

/** Runs reads on `readers`, and all other statements as `writing` says. */
const route = (readers: Connection, writing: (sql: string) => Borrower): Connection => {
  const choose =
    (method: "execute" | "executeUnprepared"): Connection["execute"] =>
    (sql, params, transform) =>
      isRead(sql)
        ? readers[method](sql, params, transform)
        : writing(sql)((connection) => connection[method](sql, params, transform))
  const chooseValues =
    (method: "executeValues" | "executeValuesUnprepared"): Connection["executeValues"] =>
    (sql, params) =>
      isRead(sql) ? readers[method](sql, params) : writing(sql)((connection) => connection[method](sql, params))
  return {
    execute: choose("execute"),
    executeUnprepared: choose("executeUnprepared"),
    executeRaw: (sql, params) => writing(sql)((connection) => connection.executeRaw(sql, params)),
    executeValues: chooseValues("executeValues"),
    executeValuesUnprepared: chooseValues("executeValuesUnprepared"),
    // Not used: a stream holds a connection of its own.
    executeStream: (sql, params, transform) =>
      Stream.unwrap(writing(sql)((connection) => Effect.succeed(connection.executeStream(sql, params, transform))))
  }
}

const openDatabase = (file: string, isShared: boolean) =>
  Effect.acquireRelease(
    // SQLite's own wait would block the event loop often when other processes write as much as this one.
    Effect.try({
      try: () => {
        const database = open(file, { busyTimeout: isShared ? 0 : undefined })
        // Else savepoints of more than 16 pages create a temporary file.
        database.exec("PRAGMA temp_store = MEMORY")
        return database
      },
      catch: fromOpening
    }),
    (opened) => Effect.sync(() => opened.close())
  )

/** Runs a function while no other connection can commit. It changes no row. */
const withWriteLock = <A>(database: DatabaseSync, use: () => A): A => {
  database.exec(begin)
  try {
    return use()
  } finally {
    database.exec("ROLLBACK")
  }
}

const common = {
  compiler: Statement.makeCompilerSqlite(),
  driver: "sqlite-node",
  spanAttributes: [["db.system.name", "sqlite"]]
} as const

/** The clients of one database. */
export interface Clients {
  readonly client: SqlClient.SqlClient
  /**
   * For short reads: it runs them on the calling thread, without waiting for a transaction. Undefined for a database in memory,
   * which only one connection can use.
   */
  readonly readClient: SqlClient.SqlClient | undefined
  /** For reads of about a hundred rows: it runs them on the calling thread while they are fast. Undefined as `readClient` is. */
  readonly pageClient: SqlClient.SqlClient | undefined
  /** As `pageClient`, for reads that workers repeat. */
  readonly pollClient: SqlClient.SqlClient | undefined
  /** Returns a number that changes with each change of what `readClient` sees. Undefined as `readClient` is. */
  readonly version: (() => number) | undefined
}

/** How long the close of a database waits for a running transaction. It is rolled back then. */
const closeTimeout = "5 seconds"

/** How long the removal of commits that are not durable may wait for the running change. */
const cutTimeout = "10 seconds"

/**
 * Opens a database. Transactions begin as writers (`BEGIN IMMEDIATE`), one at a time; the others wait, and tenants take turns.
 * Several processes may have the same file open.
 *
 * node:sqlite runs each statement synchronously. Transactions and statements of requests that write run on the calling thread:
 * they are short, and messages to another thread would take longer than they do. Those of one turn of the event loop, or of the
 * time of a sync, are committed together (`GroupCommit`). Reads outside of a transaction, and all statements of background work,
 * may take long: those of a database in a file run on threads of their own. So do checkpoints, and the fsync that makes a commit
 * durable: changes that commit at the same time share it (`LogSync`).
 *
 * The close of the scope waits for a running transaction, for a bounded time, and rolls it back after that. Transactions and changes that
 * wait fail, as do later statements.
 *
 * When a sync fails, the changes that are not durable fail and are removed from the log, later changes fail, and `StoreFailure`
 * is called.
 */
export const makeClients = Effect.fnUntraced(function* ({
  busyTimeout = "5 seconds",
  file,
  onCreate,
  sharing,
  statementTimeout
}: Options): Effect.fn.Return<Clients, SqlError, Scope.Scope | Reactivity.Reactivity> {
  const isShared = sharing !== undefined
  if (file !== memory) yield* Effect.try({ try: () => create(file, onCreate), catch: fromOpening })
  const durable = file === memory ? undefined : yield* DurableLog.make({ file, isShared })
  const log = durable?.log
  const database = yield* openDatabase(file, isShared)
  // The former processes may have ended because a sync of the log failed. Another sync would not write its pages; this does.
  if (sharing === "keeper") {
    yield* Effect.try({
      try: () => database.exec("PRAGMA wal_checkpoint(TRUNCATE)"),
      catch: fromThrown("open")
    })
  }
  const writer = Writer.fromDatabase(database, log)
  const pool = FairPool.make({ size: 1, timeout: statementTimeout })
  const group =
    log === undefined ? undefined : GroupCommit.make({ writer, turns: pool, isShared, whenSynced: log.whenSynced })
  // Directly before the close of the database: a transaction that continues in between would change it outside of a transaction.
  yield* Effect.addFinalizer(() => group?.end ?? Effect.void)
  const backgroundWriter = log === undefined ? writer : yield* Writer.onThread(file, log)
  const currentWriter = Effect.map(IsBackgroundWork, (isBackground) => (isBackground ? backgroundWriter : writer))
  const writerOf = (connection: Connection) => (connection === writer.connection ? writer : backgroundWriter)
  const close = group?.close ?? Effect.void
  /** For what does not join the open transaction. */
  const turns: FairPool.FairPool = {
    use: (self) => pool.use(Effect.andThen(close, self)),
    acquire: Effect.andThen(pool.acquire, close)
  }
  const busyRetry = BusyRetry.make(busyTimeout, isShared ? "frequent" : "rare")
  /** Runs a change of the log itself as the only writer. */
  const exclusively = <A>(change: () => A): Effect.Effect<A, SqlError> =>
    busyRetry.statement(
      turns.use(Effect.try({ try: () => withWriteLock(database, change), catch: fromThrown("begin") }))
    )
  /** Makes a change durable after its turn, so that the next one can begin meanwhile; also what a failed one has read. */
  const durably = <A, E, R>(change: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    log === undefined
      ? change
      : Effect.uninterruptibleMask((restore) =>
          Effect.flatMap(Effect.exit(restore(change)), (exit) => {
            const settled = Effect.andThen(log.settled, exit)
            return log.needsTrim() ? Effect.andThen(exclusively(log.trim), settled) : settled
          })
        )
  const write: Borrower = (use) =>
    Effect.flatMap(currentWriter, (writer) => durably(busyRetry.statement(Writer.lend(turns, writer, use))))
  const writing = (sql: string): Borrower =>
    group === undefined || !isChange(sql)
      ? write
      : (use) =>
          Effect.flatMap(IsBackgroundWork, (isBackground) =>
            isBackground ? write(use) : durably(busyRetry.statement(group.run(({ connection }) => use(connection))))
          )
  const readers =
    log === undefined ? undefined : yield* Readers.make({ file, timeout: statementTimeout, settled: log.settled })
  const routed = readers && route(readers, writing)
  if (log !== undefined) {
    if (sharing !== "member") yield* Checkpoints.start({ file, log, isShared, turns })
    yield* log.failed.pipe(
      Effect.flatMap((error) =>
        exclusively(log.cut).pipe(
          Effect.timeout(cutTimeout),
          Effect.orElseSucceed(() => false),
          Effect.flatMap((isCut) => Effect.sync(() => log.refuse(isCut))),
          Effect.andThen(Effect.flatMap(StoreFailure, (report) => report(toMetadataError("commit", error))))
        )
      ),
      Effect.forkScoped
    )
  }
  const client = yield* SqlClient.make({
    ...common,
    // For streams.
    acquirer: Effect.andThen(backgroundWriter.ready, Effect.andThen(turns.acquire, backgroundWriter.acquirer)),
    borrower: routed === undefined ? write : (use) => use(routed)
  })
  const transactions = Transactions.make({
    service: client.transactionService,
    currentWriter,
    writerOf,
    group,
    turns
  })
  const durableClient = Object.assign(client, {
    withTransaction: <A, E, R>(self: Effect.Effect<A, E, R>) =>
      Effect.withFiber<A, E | SqlError, R>(({ context }) => {
        const transaction = busyRetry.transaction(transactions.run(self))
        return transactions.isInside(context) ? transaction : durably(transaction)
      })
  })
  const readWith =
    (connection: () => Connection): Borrower =>
    (use) =>
      busyRetry.statement(Effect.suspend(() => use(connection())))
  /** Waits for the sync of what a read may have seen of other processes. */
  const settledRead =
    (read: Borrower): Borrower =>
    (use) =>
      log === undefined ? read(use) : Effect.tap(read(use), log.settled)
  const reading = (connection: () => Connection) =>
    SqlClient.make({
      ...common,
      acquirer: Effect.sync(connection),
      borrower: isShared ? settledRead(readWith(connection)) : readWith(connection)
    })
  const readClient = durable && (yield* reading(durable.reads))
  const pages =
    durable &&
    readers &&
    Effect.suspend(() => {
      const reads = PageReads.make({ direct: durable.reads, threads: readers, maxDirectMillis: 2, threadFactor: 20 })
      return reading(() => reads)
    })
  const pageClient = pages && (yield* pages)
  const pollClient = pages && (yield* pages)
  yield* Effect.addFinalizer(() => Effect.timeoutOption(Effect.interruptible(pool.close(closed())), closeTimeout))
  return { client: durableClient, readClient, pageClient, pollClient, version: durable?.version }
})

/** Opens a database, as `makeClients` does, without the clients for reads. */
export const make = (
  options: Options
): Effect.Effect<SqlClient.SqlClient, SqlError, Scope.Scope | Reactivity.Reactivity> =>
  Effect.map(makeClients(options), ({ client }) => client)

export const layer = (options: Options): Layer.Layer<SqlClient.SqlClient, SqlError> =>
  Layer.effect(SqlClient.SqlClient, make(options)).pipe(Layer.provide(Reactivity.layer))
