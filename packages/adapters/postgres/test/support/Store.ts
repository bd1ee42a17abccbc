/**
 * A metadata store on a PostgreSQL server that the test starts.
 */
import * as Postgres from "@holdfast/testing/servers/Postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PostgresMetadata from "../../src/PostgresMetadata.ts"

/** The server, and a metadata store on a new database. */
export const layer = (locale: Postgres.Options["locale"], maxConnections = 10) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { createDatabase } = yield* Postgres.Postgres
      return PostgresMetadata.layer({ url: yield* createDatabase, maxConnections })
    })
  ).pipe(Layer.provideMerge(Postgres.layer({ locale })))
