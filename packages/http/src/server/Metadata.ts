/**
 * The metadata store that a configuration names: PostgreSQL by its URL, otherwise SQLite in the data directory. Only
 * the one that is used is loaded.
 */
import type { Metadata } from "@holdfast/core/Holdfast"
import type { MetadataError } from "@holdfast/core/MetadataError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Path from "node:path"

export interface Places {
  readonly dataDirectory: string
  readonly databaseUrl: Redacted.Redacted | undefined
}

/** The database's file in the data directory. */
export const fileName = "holdfast.sqlite"

/** Whether the metadata are in the data directory, so that nobody else has them while its lock is held. */
export const isEmbedded = (places: Places): boolean => places.databaseUrl === undefined

type Loaded = Layer.Layer<Metadata | SqlClient, MetadataError>

/** The repositories; migrations that the database lacks run first. Several processes may have it open. */
export const layer = ({ dataDirectory, databaseUrl: url }: Places): Loaded =>
  Layer.unwrap(
    Effect.promise(async (): Promise<Loaded> => {
      if (url !== undefined) return (await import("@holdfast/postgres/PostgresMetadata")).layer({ url })
      return (await import("@holdfast/sqlite/SqliteMetadata")).layer({ file: Path.join(dataDirectory, fileName) })
    })
  )
