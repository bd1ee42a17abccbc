/**
 * The databases that the service is measured on. Each scenario gets one of its own.
 */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as PostgresClient from "@holdfast/postgres/Postgres"
import * as SqliteClient from "@holdfast/sqlite/Sqlite"
import * as PostgresServer from "@holdfast/testing/servers/Postgres"
import type { ServerError } from "@holdfast/testing/servers/PostgresCluster"
import { BenchFailure } from "./BenchFailure.ts"
import * as CpuMeter from "./CpuMeter.ts"

export interface Instance {
  /** How the service is told of it. */
  readonly environment: Readonly<Record<string, string>>
  /** Direct access, beside the service. */
  readonly client: Layer.Layer<SqlClient, SqlError>
  /** Processor time so far of the database's own processes; undefined where it runs inside the service's. */
  readonly cpu: Effect.Effect<number, BenchFailure> | undefined
}

export interface Database {
  readonly name: "sqlite" | "postgres"
  /** An empty database, for a service with this data directory. */
  readonly create: (directory: string) => Effect.Effect<Instance, BenchFailure>
}

export const sqlite: Database = {
  name: "sqlite",
  create: (directory) =>
    Effect.succeed({
      environment: {},
      client: SqliteClient.layer({ file: join(directory, "holdfast.sqlite") }),
      cpu: undefined
    })
}

const toFailure = (error: SqlError | ServerError): BenchFailure =>
  new BenchFailure({ message: `PostgreSQL: ${error.message}`, cause: error })

/** Each connection is a process of its own, a child of the server's. */
const findServer = (url: Redacted.Redacted): Effect.Effect<number, BenchFailure> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const [row] = yield* sql<{ readonly pid: number }>`SELECT pg_backend_pid() AS pid`
    return yield* CpuMeter.parentOf(row?.pid ?? 0)
  }).pipe(
    Effect.provide(PostgresClient.layer({ url })),
    Effect.catchTag("SqlError", (error) => Effect.fail(toFailure(error)))
  )

/** A server of its own, as durable as in production. */
export const postgres: Effect.Effect<Database, BenchFailure, Scope.Scope> = Effect.gen(function* () {
  const missing = PostgresServer.missing
  if (missing !== undefined) return yield* new BenchFailure({ message: missing })
  const services = yield* Effect.mapError(
    Layer.build(PostgresServer.layer({ locale: "C.UTF-8", isDurable: true })),
    toFailure
  )
  const createDatabase = Effect.flatMap(PostgresServer.Postgres, (server) => server.createDatabase).pipe(
    Effect.provideContext(services),
    Effect.mapError(toFailure)
  )
  const pid = yield* Effect.flatMap(createDatabase, findServer)
  return {
    name: "postgres" as const,
    create: () =>
      Effect.map(createDatabase, (url) => ({
        environment: { DATABASE_URL: Redacted.value(url) },
        client: PostgresClient.layer({ url }),
        cpu: CpuMeter.ofFamily(pid)
      }))
  }
})
