/**
 * A PostgreSQL server that creates databases for tests.
 */
import * as PostgresClient from "@holdfast/postgres/Postgres"
import * as Postgres from "@holdfast/testing/servers/Postgres"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"

export { missing } from "@holdfast/testing/servers/Postgres"

export interface Database {
  /** Creates a database and returns its URL. */
  readonly create: () => Promise<string>
  /** Stops the server; its data remain. */
  readonly stop: () => Promise<void>
  /** Runs a statement in a database. */
  readonly execute: (url: string, statement: string) => Promise<void>
  /** Makes a database read-only, as a standby is, or writable, and ends its sessions. */
  readonly setReadOnly: (url: string, isReadOnly: boolean) => Promise<void>
  /** Suspends the server: connections stay open, and nothing answers. */
  readonly suspend: () => Promise<void>
  /** Ends `suspend`. */
  readonly resume: () => Promise<void>
  /** Starts the server again. */
  readonly start: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Starts a server, with further settings in the syntax of `postgresql.conf`. */
export const start = async (settings: ReadonlyArray<string> = []): Promise<Database> => {
  const runtime = ManagedRuntime.make(Postgres.layer({ locale: "C.UTF-8", settings }))
  const postgres = await runtime.runPromise(Postgres.Postgres)
  const execute = (url: string, statement: string): Promise<void> =>
    Effect.runPromise(
      Effect.flatMap(SqlClient, (sql) => sql.unsafe(statement)).pipe(
        Effect.provide(PostgresClient.layer({ url: Redacted.make(url) })),
        Effect.asVoid
      )
    )
  return {
    execute,
    setReadOnly: async (url, isReadOnly) => {
      const name = new URL(url).pathname.slice(1)
      const other = new URL(url)
      other.pathname = "/postgres"
      await execute(
        other.href,
        `ALTER DATABASE ${name} SET default_transaction_read_only = ${isReadOnly ? "on" : "off"}`
      )
      // A connection that is being opened may have read the former setting, and is in no list yet. This changes nothing and waits for it:
      // it takes a lock of the database that such a connection holds.
      await execute(other.href, `ALTER DATABASE ${name} SET TABLESPACE pg_default`)
      await execute(other.href, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`)
    },
    create: async () => Redacted.value(await runtime.runPromise(postgres.createDatabase)),
    stop: () => runtime.runPromise(postgres.stop()),
    suspend: () => runtime.runPromise(postgres.suspend),
    resume: () => runtime.runPromise(postgres.resume),
    start: () => runtime.runPromise(postgres.start),
    close: () => runtime.dispose()
  }
}
