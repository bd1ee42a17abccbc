/**
 * Holdfast's metadata in a SQLite file: the embedded default.
 */
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import { SqlClient } from "effect/sql/SqlClient"
import type { MetadataError } from "@holdfast/core/MetadataError"
import * as MetadataLayer from "@holdfast/sql/MetadataLayer"
import { operation } from "@holdfast/sql/SqlFailure"
import * as Sqlite from "./Sqlite.ts"

/**
 * Every repository, and the client that they share, over a database file; the migrations that it lacks run first.
 */
export const layer = (options: Sqlite.Options): Layer.Layer<MetadataLayer.Repositories | SqlClient, MetadataError> =>
  MetadataLayer.layerFresh(
    Layer.effect(SqlClient, operation("open")(Sqlite.make(options))).pipe(Layer.provide(Reactivity.layer))
  )
