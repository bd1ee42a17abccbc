/**
 * Holdfast's metadata in PostgreSQL: for several nodes, or where a database server stands already.
 */
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import { SqlClient } from "effect/sql/SqlClient"
import type { MetadataError } from "@holdfast/core/MetadataError"
import * as MetadataLayer from "@holdfast/sql/MetadataLayer"
import { operation } from "@holdfast/sql/SqlFailure"
import * as Postgres from "./Postgres.ts"

/**
 * Every repository, and the client that they share; the migrations that the database lacks run first. Several nodes
 * may start at once. The transactions assume READ COMMITTED, PostgreSQL's default.
 */
export const layer = (options: Postgres.Options): Layer.Layer<MetadataLayer.Repositories | SqlClient, MetadataError> =>
  MetadataLayer.over(
    Layer.effect(SqlClient, operation("open")(Postgres.make(options))).pipe(Layer.provide(Reactivity.layer))
  )
