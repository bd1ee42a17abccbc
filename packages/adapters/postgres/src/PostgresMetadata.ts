/**
 * Holdfast's metadata in PostgreSQL: for several nodes, or for deployments that already run a PostgreSQL server.
 */
import { uptime } from "node:os"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import { SqlClient } from "effect/sql/SqlClient"
import type { Metadata } from "@holdfast/core/Holdfast"
import type { MetadataError } from "@holdfast/core/MetadataError"
import * as MetadataLayer from "@holdfast/sql/MetadataLayer"
import { migrate } from "@holdfast/sql/migrations/Migrate"
import { ReadClient } from "@holdfast/sql/Reads"
import { operation } from "@holdfast/sql/SqlFailure"
import * as StoreClock from "@holdfast/sql/StoreClock"
import * as Availability from "./internal/Availability.ts"
import * as Postgres from "./Postgres.ts"

export interface Options extends Omit<Postgres.Options, "multiplex"> {
  /**
   * Connections in addition to `maxConnections` for the short reads of every request: the look-ups of the key and of the
   * file. All requests share them, pipelined. 2 when absent.
   */
  readonly readConnections?: number | undefined
  /**
   * How long opening waits for a database that is not available: it refuses connections, starts, has no free connection, or is
   * read-only, or its name is not resolved. It does not wait when absent.
   */
  readonly startTimeout?: Duration.Input | undefined
}

/** Runs the migrations on a connection of their own, whose statements may take any time. */
const migrateUnlimited = (options: Postgres.Options): Effect.Effect<unknown, MetadataError> =>
  operation("open")(Postgres.make({ ...options, maxConnections: 1, statementTimeout: "none" })).pipe(
    Effect.flatMap((sql) => Effect.provideService(migrate, SqlClient, sql)),
    Effect.scoped,
    Effect.provide(Reactivity.layer)
  )

/**
 * All repositories and the client that they share, with the server's time (`StoreTime`). Runs the migrations that the database
 * lacks first; several nodes may start at the same time. The transactions assume READ COMMITTED, PostgreSQL's default.
 */
export const layer = ({
  readConnections = 2,
  startTimeout = Duration.zero,
  ...options
}: Options): Layer.Layer<Metadata | SqlClient, MetadataError> =>
  MetadataLayer.layerFresh(
    Layer.mergeAll(
      Layer.effect(SqlClient, operation("open")(Postgres.make(options))),
      Layer.effect(
        ReadClient,
        operation("open")(Postgres.make({ ...options, maxConnections: readConnections, multiplex: true }))
      )
    ).pipe(Layer.provide(Reactivity.layer)),
    {
      migration: Availability.retry(migrateUnlimited(options), startTimeout),
      time: StoreClock.layerServer({ uptime })
    }
  )
