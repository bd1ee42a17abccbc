/**
 * The adapter for the Promise API: `open({ metadata: sqlite({ file }), … })`.
 */
import type { MetadataAdapter } from "@holdfast/core"
import * as Is from "@holdfast/core/inputs/OptionChecks"
import * as AdapterOptions from "@holdfast/core/promises/AdapterOptions"
import * as SqliteMetadata from "./SqliteMetadata.ts"

interface Options {
  readonly file: string
  /**
   * How long a transaction waits for the ones before it, and a read for a free thread, in milliseconds. After that a method
   * rejects with the code `unavailable`. 10,000 when absent.
   */
  readonly statementTimeout?: number | undefined
}

const check = Is.record(
  // SQLite keeps a database without a name in a temporary file.
  { file: Is.path, statementTimeout: Is.count(1) } satisfies AdapterOptions.Checks<Options>,
  { file: 'where records are stored, such as "data/holdfast.sqlite"' }
)

/**
 * Stores metadata in one SQLite file. Creates the file and runs missing migrations when it opens it. `:memory:` stores nothing. Throws
 * `InvalidRequest` for options that are not valid.
 */
export const sqlite = (options: Options): MetadataAdapter => {
  const given = AdapterOptions.read("sqlite", options, check)
  return { metadata: SqliteMetadata.layer({ statementTimeout: 10_000, ...given }) }
}
