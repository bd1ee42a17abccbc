/**
 * What the statements of every operation read on PostgreSQL, in a small and in a large bucket: no statement of a request may grow
 * with the bucket. `HOLDFAST_FILES` sets the two sizes; `pnpm statements` compares 10,000 with a million.
 */
import * as PostgresClient from "@holdfast/postgres/Postgres"
import * as PostgresMetadata from "@holdfast/postgres/PostgresMetadata"
import { requires } from "@holdfast/testing/Requires"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Database from "../support/Database.ts"
import * as TestServer from "../support/TestServer.ts"
import * as GrownBuckets from "./GrownBuckets.ts"
import type { Fixture } from "./PermissionTable.ts"

const [small = 4000, large = 40_000] = GrownBuckets.givenSizes

/** Milliseconds to fill or to analyse the larger bucket. */
const fillTimeout = Math.max(120_000, large)

interface Cost {
  /** Blocks of 8 KiB that the statements read, cached or not. */
  readonly blocks: number
  /** Rows that the statements returned or changed. */
  readonly rows: number
  /** The statement that read most. */
  readonly query: string
}

requires(Database.missing).describe("statements on PostgreSQL", () => {
  let database: Database.Database
  let server: TestServer.TestServer
  let runtime: ManagedRuntime.ManagedRuntime<SqlClient, unknown>
  let buckets: GrownBuckets.Buckets

  const query = <A, E>(run: (sql: SqlClient) => Effect.Effect<A, E>) =>
    runtime.runPromise(Effect.flatMap(SqlClient, run))

  const fill = (fixture: Fixture, size: number) =>
    query((sql) =>
      Effect.gen(function* () {
        const numbers = sql.literal(`WITH numbers (n) AS (SELECT generate_series(1, ${size}))`)
        yield* GrownBuckets.insertFiles(sql, fixture, size, numbers)
        yield* GrownBuckets.expectTasks(sql, fixture, size)
        // Until autovacuum analyses the tables, PostgreSQL does not know that they have grown.
        if (size === small) yield* sql`VACUUM ANALYZE`
      })
    )

  const measure = async (operation: GrownBuckets.Operation, size: number): Promise<Cost> => {
    const { send } = await buckets.prepare(operation, size)
    await query((sql) => sql`SELECT pg_stat_statements_reset()`)
    await send()
    const costs = await query(
      (sql) => sql`SELECT query, CAST(shared_blks_hit + shared_blks_read AS integer) AS blocks,
          CAST(rows AS integer) AS rows
        FROM pg_stat_statements JOIN pg_database ON pg_database.oid = dbid
        WHERE datname = current_database() AND query NOT LIKE '%pg_stat_statements%' ORDER BY 2 DESC`
    )
    const sum = (column: string) => costs.reduce((total, row) => total + Number(row[column]), 0)
    return { blocks: sum("blocks"), rows: sum("rows"), query: String(costs[0]?.query) }
  }

  beforeAll(async () => {
    database = await Database.start(["shared_preload_libraries=pg_stat_statements", "autovacuum=off"])
    const url = Redacted.make(await database.create())
    server = await TestServer.start({ metadata: PostgresMetadata.layer({ url }) })
    runtime = ManagedRuntime.make(PostgresClient.layer({ url, maxConnections: 1 }))
    await query((sql) => sql`CREATE EXTENSION pg_stat_statements`)
    buckets = await GrownBuckets.make(server, [small, large], fill)
  }, fillTimeout)

  afterAll(async () => {
    await server?.close()
    await runtime?.dispose()
    await database?.close()
  })

  const check = async (operation: GrownBuckets.Operation) => {
    const before = await measure(operation, small)
    const after = await measure(operation, large)
    const text = JSON.stringify({ before, after })
    // A join reads a few blocks for each row of a large table, where that of a small table reads the table in order.
    assert.isAtMost(after.blocks, Math.max(GrownBuckets.ratioFrom(small) * before.blocks, 3 * after.rows) + 50, text)
    assert.isAtMost(after.blocks, 20 * after.rows + 400, text)
  }

  for (const operation of [...GrownBuckets.lists, ...GrownBuckets.mirrorReads]) {
    it(`${operation.route}, statistics of ${small} files → reads as much in a bucket that grew to ${large}`, () =>
      check(operation))
  }

  describe("with statistics", () => {
    beforeAll(() => query((sql) => sql`VACUUM ANALYZE`), fillTimeout)

    for (const operation of GrownBuckets.operations) {
      it(`${operation.route} → reads as much in a bucket with ${large} files as with ${small}, at most 20 blocks per row`, () =>
        check(operation))
    }
  })
})
