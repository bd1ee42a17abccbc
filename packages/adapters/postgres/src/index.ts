/**
 * The adapter for the Promise API: `open({ metadata: postgres({ url }), … })`.
 */
import type { MetadataAdapter } from "@holdfast/core"
import * as Is from "@holdfast/core/inputs/OptionChecks"
import * as AdapterOptions from "@holdfast/core/promises/AdapterOptions"
import * as Redacted from "effect/Redacted"
import * as Postgres from "./Postgres.ts"
import * as PostgresMetadata from "./PostgresMetadata.ts"

/**
 * The pool sometimes opens a connection that no statement needs any more. Until it is closed, it keeps a program alive that does not
 * close its Holdfast.
 */
const idleTimeout = "10 seconds"

interface Options {
  /** `postgres://user:password@host:port/database`. No log and no error contains it. */
  readonly url: string
  /** The most connections of this process, besides 2 for short reads; 10 when absent. */
  readonly maxConnections?: number | undefined
  /**
   * How long a statement may take, in milliseconds; half of it is the longest wait for a connection, and for a lock. After
   * that a method rejects with the code `unavailable`. 10,000 when absent. Migrations are exempt.
   */
  readonly statementTimeout?: number | undefined
  /** `false` behind a pooler in transaction mode: connections keep no prepared statements and no settings. Default: true. */
  readonly prepare?: boolean | undefined
}

const check = Is.record(
  {
    url: Is.when(
      (value) => typeof value === "string" && Postgres.isUrl(Redacted.make(value)),
      "must be a URL such as postgres://user:password@host:port/database, with user and password in percent-encoding"
    ),
    maxConnections: Is.count(1),
    statementTimeout: Is.count(1),
    prepare: Is.boolean
  } satisfies AdapterOptions.Checks<Options>,
  { url: "the database, such as postgres://user:password@host:port/database" }
)

/**
 * Stores metadata in a PostgreSQL database. Runs the migrations that the database lacks when it opens it. Throws `InvalidRequest` for
 * options that are not valid.
 */
export const postgres = (options: Options): MetadataAdapter => {
  const given = AdapterOptions.read("postgres", options, check)
  return {
    metadata: PostgresMetadata.layer({
      idleTimeout,
      statementTimeout: 10_000,
      ...given,
      url: Redacted.make(given.url)
    })
  }
}
