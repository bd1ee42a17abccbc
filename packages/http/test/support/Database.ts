/**
 * A PostgreSQL server with fresh databases.
 */
import * as Postgres from "@holdfast/testing/servers/Postgres"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"

export { missing } from "@holdfast/testing/servers/Postgres"

export interface Database {
  /** The address of a fresh database. */
  readonly create: () => Promise<string>
  /** Ends the server; what it keeps stays. */
  readonly stop: () => Promise<void>
  /** Starts the server again. */
  readonly start: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Starts a server. */
export const start = async (): Promise<Database> => {
  const runtime = ManagedRuntime.make(Postgres.layer({ locale: "C.UTF-8" }))
  const postgres = await runtime.runPromise(Postgres.Postgres)
  return {
    create: async () => Redacted.value(await runtime.runPromise(postgres.createDatabase)),
    stop: () => runtime.runPromise(postgres.stop()),
    start: () => runtime.runPromise(postgres.start),
    close: () => runtime.dispose()
  }
}
