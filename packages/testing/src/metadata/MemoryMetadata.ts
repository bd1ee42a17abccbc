/**
 * A metadata store that lives and dies with its layer.
 */
import type { MetadataError } from "@holdfast/core/MetadataError"
import * as SqliteMetadata from "@holdfast/sqlite/SqliteMetadata"
import type * as Layer from "effect/Layer"
import type { Metadata } from "./Metadata.ts"

/** An empty store: SQLite in memory, so that it is told from the real one by its file alone. */
export const layer: Layer.Layer<Metadata, MetadataError> = SqliteMetadata.layer({ file: ":memory:" })
