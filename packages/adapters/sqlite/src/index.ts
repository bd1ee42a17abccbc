/**
 * The adapter for the Promise API: `open({ metadata: sqlite({ file }), … })`.
 */
import type { MetadataAdapter } from "@holdfast/core"
import * as SqliteMetadata from "./SqliteMetadata.ts"

/** Stores metadata in one SQLite file. Creates the file and runs missing migrations when it opens it. `:memory:` stores nothing. */
export const sqlite = (options: { readonly file: string }): MetadataAdapter => ({
  metadata: SqliteMetadata.layer(options)
})
