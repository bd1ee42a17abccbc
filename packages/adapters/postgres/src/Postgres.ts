/**
 * An SqlClient for PostgreSQL.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgPool from "@effect/sql-pg/PgPool"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import type { Borrower } from "effect/sql/SqlConnection"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import * as FairPool from "@holdfast/sql/FairPool"
import * as PostgresConnection from "./internal/PostgresConnection.ts"
import * as ConnectionSocket from "./internal/ConnectionSocket.ts"
import * as ConnectionSetup from "./internal/ConnectionSetup.ts"
import * as SharedConnections from "./internal/SharedConnections.ts"
import * as SilentServer from "./internal/SilentServer.ts"

export interface Options {
  /** `postgres://user:password@host:port/database`, with libpq's parameters. No error and no log contains it. */
  readonly url: Redacted.Redacted
  /** 10 when absent. The client opens connections when it needs them, and all of them at once with `multiplex`. */
  readonly maxConnections?: number | undefined
  /**
   * Whether to pipeline the statements of several fibers over one connection; false when absent. It allows three times as
   * many short reads, but a statement that takes long or waits for a lock delays those behind it, and an interrupted
   * statement continues on the server. A transaction always has its own connection.
   */
  readonly multiplex?: boolean | undefined
  /** The name of this client in the server's statistics; `holdfast` when absent. */
  readonly applicationName?: string | undefined
  /** The timeout for opening a connection; 5 seconds when absent. At most half of `statementTimeout`. */
  readonly connectTimeout?: Duration.Input | undefined
  /**
   * How long a statement may take. Half of it is the longest wait for a free connection, and the longest wait for a lock.
   * When absent, this client limits nothing, and the server has the limits of the role; `none` is no limit there either, for migrations,
   * which build indexes. The server enforces it, as `statement_timeout` and `lock_timeout` of each connection. A connection
   * whose server sends nothing for so long while a statement runs is closed. The server ends a transaction that waits for its next
   * statement for two fifths of it (`idle_in_transaction_session_timeout`): its process is suspended or unreachable.
   */
  readonly statementTimeout?: Duration.Input | "none" | undefined
  /**
   * Whether connections keep prepared statements; true when absent. `false` is for poolers that give each transaction another
   * connection of the server, such as PgBouncer in transaction mode. Such a connection keeps no settings either: then
   * only this client enforces `statementTimeout`, and the role should have these settings.
   */
  readonly prepare?: boolean | undefined
  /** How long an unused connection stays open; 1 minute when absent. Those of a client with `multiplex` stay open. */
  readonly idleTimeout?: Duration.Input | undefined
}

/** The error for a malformed URL. It contains no part of the URL, because the fault may be inside the password. */
const invalidUrl = (): SqlError =>
  new SqlError({
    reason: new UnknownError({
      cause: undefined,
      message: "The PostgreSQL connection URL is not valid",
      operation: "connect"
    })
  })

const isEncoded = (text: string): boolean => {
  try {
    return decodeURIComponent(text) !== undefined
  } catch {
    return false
  }
}

/** Whether a text is the URL of a database whose parts can be decoded. */
export const isUrl = (redacted: Redacted.Redacted): boolean => {
  const url = URL.parse(Redacted.value(redacted))
  return (
    url !== null &&
    /^postgres(?:ql)?:$/.test(url.protocol) &&
    [url.username, url.password, url.hostname, url.pathname].every(isEncoded)
  )
}

/** How many statements share a connection of a client with `multiplex`. */
const multiplexConcurrency = 32

/**
 * Lets the process end while connections of a pool are open that have run no statement yet. Reserving all of them is the only way to
 * their sockets, and makes statements wait, therefore not for longer than a second.
 */
const releaseProcess = (pool: PgPool.PgPool, connections: number): Effect.Effect<void> =>
  Effect.forEach(Array.from({ length: connections }), () => pool.reserve, { concurrency: "unbounded" }).pipe(
    Effect.map((reserved) => reserved.forEach((connection) => ConnectionSocket.of(connection).unref())),
    Effect.scoped,
    Effect.timeout("1 second"),
    Effect.ignore
  )

/**
 * Makes a pool of connections. It opens a connection when it first needs it; with `multiplex` it opens all at once. When a
 * connection is lost, as in a restart of the server, the statements on it fail and the next statement opens a new connection. A
 * connection to a read-only server is refused.
 *
 * Tenants share the connections (`FairPool`): a tenant gets a further one while it holds fewer than are free. With `multiplex` they
 * share the places for statements on all connections in the same way.
 */
export const make: (
  options: Options
) => Effect.Effect<SqlClient.SqlClient, SqlError, Scope.Scope | Reactivity.Reactivity> = Effect.fnUntraced(function* ({
  applicationName = "holdfast",
  connectTimeout = "5 seconds",
  idleTimeout = "1 minute",
  maxConnections = 10,
  multiplex = false,
  prepare = true,
  statementTimeout,
  url
}) {
  if (!isUrl(url)) return yield* invalidUrl()
  const longest = statementTimeout === "none" ? undefined : statementTimeout
  const half = longest === undefined ? undefined : Duration.times(Duration.fromInputUnsafe(longest), 0.5)
  const pool = yield* PgPool.make({
    url,
    maxConnections,
    // Opening one takes as long as hundreds of short reads, which would wait for it after each quiet minute.
    minConnections: multiplex ? maxConnections : 0,
    multiplex,
    multiplexConcurrency,
    applicationName,
    connectTimeout: half === undefined ? connectTimeout : Duration.min(Duration.fromInputUnsafe(connectTimeout), half),
    idleTimeout,
    prepare,
    // Detects a server that vanished without closing a connection on which no statement runs.
    keepAlive: "30 seconds"
  })
  if (multiplex) yield* Effect.forkScoped(releaseProcess(pool, maxConnections))
  const watch = yield* SilentServer.make(longest)
  const toConnection = PostgresConnection.make(watch)
  const setUp: ConnectionSetup.SetUp = prepare ? ConnectionSetup.make(statementTimeout, watch) : () => Effect.void
  const shares = FairPool.make({ size: maxConnections, timeout: half })
  const { get, use } = multiplex
    ? SharedConnections.make(pool, {
        size: maxConnections * multiplexConcurrency,
        places: () => watch.openConnections() * multiplexConcurrency,
        timeout: half
      })
    : pool
  const acquire = Effect.andThen(multiplex ? Effect.void : shares.acquire, Effect.tap(get, setUp))
  const borrow: Borrower = (run) =>
    use((connection) => Effect.andThen(setUp(connection), run(toConnection(connection))))
  return yield* SqlClient.make({
    acquirer: Effect.map(acquire, toConnection),
    borrower: multiplex ? borrow : (run) => shares.use(borrow(run)),
    transactionAcquirer: Effect.map(
      Effect.flatMap(acquire, ({ pin }) => pin),
      toConnection
    ),
    commit: PostgresConnection.commit,
    compiler: PgClient.makeCompiler(),
    driver: "pg",
    prepareTransactionControls: true,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "postgresql"]]
  })
})

export const layer = (options: Options): Layer.Layer<SqlClient.SqlClient, SqlError> =>
  Layer.effect(SqlClient.SqlClient, make(options)).pipe(Layer.provide(Reactivity.layer))
