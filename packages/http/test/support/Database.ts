/**
 * A PostgreSQL server that creates databases for tests.
 */
import * as Postgres from "@holdfast/testing/servers/Postgres"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"

export { missing } from "@holdfast/testing/servers/Postgres"

export interface Database {
  /** Creates a database and returns its URL. */
  readonly create: () => Promise<string>
  /** Stops the server; its data remain. */
  readonly stop: () => Promise<void>
  /** Starts the server again. */
  readonly start: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Starts a server, with further settings in the syntax of `postgresql.conf`. */
export const start = async (settings: ReadonlyArray<string> = []): Promise<Database> => {
  const runtime = ManagedRuntime.make(Postgres.layer({ locale: "C.UTF-8", settings }))
  const postgres = await runtime.runPromise(Postgres.Postgres)
  return {
    create: async () => Redacted.value(await runtime.runPromise(postgres.createDatabase)),
    stop: () => runtime.runPromise(postgres.stop()),
    start: () => runtime.runPromise(postgres.start),
    close: () => runtime.dispose()
  }
}
