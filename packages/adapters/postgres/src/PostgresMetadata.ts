/**
 * Holdfast's metadata in PostgreSQL: for several nodes, or where a database server stands already.
 */
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import { SqlClient } from "effect/sql/SqlClient"
import type { MetadataError } from "@holdfast/core/MetadataError"
import * as MetadataLayer from "@holdfast/sql/MetadataLayer"
import { ReadClient } from "@holdfast/sql/Reads"
import { operation } from "@holdfast/sql/SqlFailure"
import * as Postgres from "./Postgres.ts"

export interface Options extends Omit<Postgres.Options, "multiplex"> {
  /**
   * Connections beside `maxConnections` that the reads of every request share, pipelined: whose key it is, and which
   * file. 2 when absent.
   */
  readonly readConnections?: number | undefined
}

/**
 * Every repository, and the client that they share; the migrations that the database lacks run first. Several nodes
 * may start at once. The transactions assume READ COMMITTED, PostgreSQL's default.
 */
export const layer = ({
  readConnections = 2,
  ...options
}: Options): Layer.Layer<MetadataLayer.Repositories | SqlClient, MetadataError> =>
  MetadataLayer.layerFresh(
    Layer.mergeAll(
      Layer.effect(SqlClient, operation("open")(Postgres.make(options))),
      Layer.effect(
        ReadClient,
        operation("open")(Postgres.make({ ...options, maxConnections: readConnections, multiplex: true }))
      )
    ).pipe(Layer.provide(Reactivity.layer))
  )
