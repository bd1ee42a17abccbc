/**
 * The metadata store that a configuration names: PostgreSQL by its URL, otherwise SQLite in the data directory. Only
 * the one that is used is loaded.
 */
import type { Metadata } from "@holdfast/core/Holdfast"
import type { MetadataError } from "@holdfast/core/MetadataError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Path from "node:path"
import type { Config } from "../config/Config.ts"

/** The settings that say where it is. */
export type Places = Pick<Config, "dataDir" | "databasePool" | "databaseUrl">

/** The database's file in the data directory. */
export const fileName = "holdfast.sqlite"

/** Whether the metadata are in the data directory, so that nobody else has them while its lock is held. */
export const isEmbedded = (places: Places): boolean => places.databaseUrl === undefined

type Loaded = Layer.Layer<Metadata | SqlClient, MetadataError>

/** The repositories; migrations that the database lacks run first. Several processes may have it open. */
export const layer = ({ dataDir, databasePool: maxConnections, databaseUrl: url }: Places): Loaded =>
  Layer.unwrap(
    Effect.promise(async (): Promise<Loaded> => {
      if (url !== undefined) return (await import("@holdfast/postgres/PostgresMetadata")).layer({ url, maxConnections })
      return (await import("@holdfast/sqlite/SqliteMetadata")).layer({ file: Path.join(dataDir, fileName) })
    })
  )

type Client = Layer.Layer<SqlClient, SqlError>

/** The database alone, as it stands. */
export const client = ({ dataDir, databasePool: maxConnections, databaseUrl: url }: Places): Client =>
  Layer.unwrap(
    Effect.promise(async (): Promise<Client> => {
      if (url !== undefined) return (await import("@holdfast/postgres/Postgres")).layer({ url, maxConnections })
      return (await import("@holdfast/sqlite/Sqlite")).layer({ file: Path.join(dataDir, fileName) })
    })
  )
