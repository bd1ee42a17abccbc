/**
 * The adapter for programs that do not use Effect: `open({ metadata: sqlite({ file }), … })`.
 */
import type { MetadataAdapter } from "@holdfast/core"
import * as SqliteMetadata from "./SqliteMetadata.ts"

/** Keeps metadata in one SQLite file, made and migrated when it is opened; `:memory:` keeps nothing. */
export const sqlite = (options: { readonly file: string }): MetadataAdapter => ({
  metadata: SqliteMetadata.layer(options)
})
