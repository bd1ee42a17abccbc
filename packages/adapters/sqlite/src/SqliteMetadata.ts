/**
 * Holdfast's metadata in a SQLite file: the embedded default.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import { SqlClient } from "effect/sql/SqlClient"
import type { Metadata } from "@holdfast/core/Holdfast"
import type { MetadataError } from "@holdfast/core/MetadataError"
import * as MetadataLayer from "@holdfast/sql/MetadataLayer"
import { PageClient, PollClient, ReadClient, ReadVersion } from "@holdfast/sql/Reads"
import { operation } from "@holdfast/sql/SqlFailure"
import * as StoreClock from "@holdfast/sql/StoreClock"
import { uptime } from "node:os"
import { memory } from "./internal/SqliteFile.ts"
import * as Sqlite from "./Sqlite.ts"

export interface Options extends Sqlite.Options {
  /** The offset of the time that the other processes of the service have (`StoreClock.offsetOf`). Absent for one that starts alone. */
  readonly clockOffset?: number | undefined
}

/**
 * All repositories over a database file, and the client that they share. Runs the migrations that the database lacks first. Their
 * time (`StoreTime`) does not step with the machine's clock. A database in memory has the time of its caller.
 */
export const layer = (options: Options): Layer.Layer<Metadata | SqlClient, MetadataError> =>
  MetadataLayer.layerFresh(
    Layer.effectContext(
      Effect.map(
        operation("open")(Sqlite.makeClients(options)),
        ({ client, pageClient, pollClient, readClient, version }) =>
          Context.make(SqlClient, client).pipe(
            Context.add(ReadClient, readClient),
            Context.add(PageClient, pageClient),
            Context.add(PollClient, pollClient),
            Context.add(ReadVersion, version)
          )
      )
    ).pipe(Layer.provide(Reactivity.layer)),
    { time: options.file === memory ? undefined : StoreClock.layerMachine({ uptime, offset: options.clockOffset }) }
  )
