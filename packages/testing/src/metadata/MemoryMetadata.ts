/**
 * A metadata store in memory, which exists as long as its layer.
 */
import type { MetadataError } from "@holdfast/core/MetadataError"
import * as SqliteMetadata from "@holdfast/sqlite/SqliteMetadata"
import type * as Layer from "effect/Layer"
import type { Metadata } from "@holdfast/core/Holdfast"

/** An empty store: SQLite with a database in memory. It runs the same code as the store in a file. */
export const layer: Layer.Layer<Metadata, MetadataError> = SqliteMetadata.layer({ file: ":memory:" })
