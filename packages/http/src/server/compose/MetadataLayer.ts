/**
 * The layers of the configured metadata store: PostgreSQL if the settings have its URL, otherwise SQLite in the data
 * directory. Only the adapter that is used is loaded.
 */
import type { Metadata } from "@holdfast/core/Holdfast"
import type { MetadataError } from "@holdfast/core/MetadataError"
import * as DirectoryOwner from "@holdfast/fs/DirectoryOwner"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Path from "node:path"
import { statSync } from "node:fs"
import type { Config } from "../config/Config.ts"
import { hasBackgroundWork, type WorkerProcess } from "../workers/WorkerProcess.ts"
import * as ObservableMetrics from "../../operator/ObservableMetrics.ts"
import * as DiskLayer from "./DiskLayer.ts"

/** The settings of the metadata store. */
export type MetadataSettings = Pick<
  Config,
  "dataDir" | "databasePool" | "databasePrepare" | "databaseTimeout" | "databaseUrl" | "diskReserve"
>

/** The SQLite database in the data directory. */
const databaseFile = "holdfast.sqlite"

/** Returns the path of the SQLite database of a data directory. */
export const databasePath = ({ dataDir }: Pick<MetadataSettings, "dataDir">): string => Path.join(dataDir, databaseFile)

/** Whether the metadata are in the data directory. Then only the service that holds its lock uses them. */
export const isEmbedded = ({ databaseUrl }: Pick<MetadataSettings, "databaseUrl">): boolean => databaseUrl === undefined

type RepositoryLayer = Layer.Layer<Metadata | SqlClient, MetadataError>

/**
 * The repositories. Building the layer runs the migrations that the database lacks. It waits for a database that is not available
 * as long as `startTimeout`; not at all when absent. `worker` is the part of a process that is not the only one of its service.
 */
export const layer = (
  {
    dataDir,
    databasePool: maxConnections,
    databasePrepare: prepare,
    databaseTimeout: statementTimeout,
    databaseUrl: url,
    diskReserve
  }: MetadataSettings,
  startTimeout?: Config["startTimeout"],
  worker?: WorkerProcess
): RepositoryLayer =>
  Layer.unwrap(
    Effect.promise(async (): Promise<RepositoryLayer> => {
      if (url !== undefined) {
        return (await import("@holdfast/postgres/PostgresMetadata")).layer({
          url,
          maxConnections,
          statementTimeout,
          startTimeout,
          prepare
        })
      }
      const file = databasePath({ dataDir })
      const sharing = worker === undefined ? undefined : hasBackgroundWork(worker) ? "keeper" : "member"
      const repositories = (await import("@holdfast/sqlite/SqliteMetadata")).layer({
        file,
        onCreate: DirectoryOwner.make(dataDir).give,
        statementTimeout,
        sharing,
        clockOffset: worker?.clockOffset
      })
      return DiskLayer.layerProtected(repositories, { dataDir, diskReserve })
    })
  )

type ClientLayer = Layer.Layer<SqlClient, SqlError>

/** The connection to the database alone, for migrations and backups: its statements have no timeout. It runs none itself. */
export const layerSqlClient = ({
  dataDir,
  databasePool: maxConnections,
  databasePrepare: prepare,
  databaseUrl: url
}: Omit<MetadataSettings, "databaseTimeout" | "diskReserve">): ClientLayer =>
  Layer.unwrap(
    Effect.promise(async (): Promise<ClientLayer> => {
      if (url !== undefined)
        return (await import("@holdfast/postgres/Postgres")).layer({
          url,
          maxConnections,
          prepare,
          statementTimeout: "none"
        })
      return (await import("@holdfast/sqlite/Sqlite")).layer({
        file: databasePath({ dataDir }),
        onCreate: DirectoryOwner.make(dataDir).give
      })
    })
  )

/** A gauge of the size of SQLite's write-ahead log. Absent while the log does not exist. */
export const layerMetrics = (settings: Pick<MetadataSettings, "dataDir">): Layer.Layer<never> =>
  Layer.effectDiscard(
    ObservableMetrics.registerAll([
      {
        name: "holdfast_sqlite_wal_bytes",
        description: "Size of the write-ahead log of the SQLite database.",
        kind: "gauge",
        read: () => statSync(`${databasePath(settings)}-wal`, { throwIfNoEntry: false })?.size ?? Number.NaN
      }
    ])
  )
