/**
 * The adapter for the Promise API: `open({ metadata: postgres({ url }), … })`.
 */
import type { MetadataAdapter } from "@holdfast/core"
import * as Redacted from "effect/Redacted"
import * as PostgresMetadata from "./PostgresMetadata.ts"

/** Stores metadata in a PostgreSQL database. Runs the migrations that the database lacks when it opens it. */
export const postgres = (options: {
  /** `postgres://user:password@host:port/database`. No log and no error contains it. */
  readonly url: string
  /** The most connections of this process, besides 2 for short reads; 10 when absent. */
  readonly maxConnections?: number | undefined
}): MetadataAdapter => ({
  metadata: PostgresMetadata.layer({ ...options, url: Redacted.make(options.url) })
})
