/**
 * The adapter for the Promise API: `open({ metadata: sqlite({ file }), … })`.
 */
import type { MetadataAdapter } from "@holdfast/core"
import * as SqliteMetadata from "./SqliteMetadata.ts"

/** Stores metadata in one SQLite file. Creates the file and runs missing migrations when it opens it. `:memory:` stores nothing. */
export const sqlite = (options: {
  readonly file: string
  /**
   * How long a transaction waits for the ones before it, and a read for a free thread, in milliseconds. After that a method
   * rejects with the code `unavailable`. 10,000 when absent.
   */
  readonly statementTimeout?: number | undefined
}): MetadataAdapter => ({
  metadata: SqliteMetadata.layer({ statementTimeout: 10_000, ...options })
})
