/**
 * The adapter for programs that do not use Effect: `open({ metadata: postgres({ url }), … })`.
 */
import type { MetadataAdapter } from "@holdfast/core"
import * as Redacted from "effect/Redacted"
import * as PostgresMetadata from "./PostgresMetadata.ts"

/** Keeps metadata in a PostgreSQL database, migrated when it is opened. */
export const postgres = (options: {
  /** `postgres://user:password@host:port/database`; it reaches no log and no error. */
  readonly url: string
  /** Connections of this process at the most. */
  readonly maxConnections?: number | undefined
}): MetadataAdapter => ({
  metadata: PostgresMetadata.layer({ ...options, url: Redacted.make(options.url) })
})
