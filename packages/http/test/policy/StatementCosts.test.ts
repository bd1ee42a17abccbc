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
import * as S3Server from "../s3/S3Server.ts"
import * as Database from "../support/Database.ts"
import * as TestServer from "../support/TestServer.ts"
import * as GrownBuckets from "./GrownBuckets.ts"
import { type Fixture, makeFixture, makeRecords } from "./PermissionTable.ts"

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
  const fixtures = new Map<number, Fixture>()
  /** The S3 credentials, by tenant. */
  const tokens = new Map<string, S3Server.S3Token>()

  const query = <A, E>(run: (sql: SqlClient) => Effect.Effect<A, E>) =>
    runtime.runPromise(Effect.flatMap(SqlClient, run))

  const fill = ({ bucketId, mirrorId, tenantId }: Fixture, count: number) =>
    query((sql) =>
      Effect.gen(function* () {
        const id = sql.literal(`lpad(CAST(${count} + n AS text), 12, '0')`)
        const numbers = sql`generate_series(1, ${sql.literal(String(count))}) AS s (n)`
        yield* sql`INSERT INTO blob (id, tenant_id, bucket_id, state, size, sha256, file_id, created_at)
          SELECT 'blb_' || ${id}, ${tenantId}, ${bucketId}, 'READY', 1, 'x', 'fil_' || ${id}, 0 FROM ${numbers}`
        yield* sql`INSERT INTO file (id, tenant_id, bucket_id, path, name, version, metadata, headers, created_at,
            updated_at, blob_id, size, sha256, etag, content_type, type, stored_at)
          SELECT 'fil_' || ${id}, ${tenantId}, ${bucketId}, CASE WHEN n % 2 = 0 THEN '/flat/' ELSE
            '/tree/' || (n % 100) || '/' END, 'file-' || n, 1, '{}', '[]', 0, 0, 'blb_' || ${id}, 1, 'x', 'x',
            'text/plain', 'OTHER', 0 FROM ${numbers}`
        yield* sql`INSERT INTO event (tenant_id, id, action, actor, detail)
          SELECT ${tenantId}, 'evt_' || ${id}, 'file.created', 'SYSTEM', '{}' FROM ${numbers}`
        const tasks = yield* sql`SELECT file_id FROM mirror_task WHERE mirror_id = ${mirrorId} LIMIT ${count}`
        assert.isAtLeast(tasks.length, count)
      })
    )

  const measure = async (operation: GrownBuckets.Operation, fixture: Fixture): Promise<Cost> => {
    const token = tokens.get(fixture.tenantId)
    assert.isDefined(token)
    const request = await GrownBuckets.prepare(server, operation, fixture, token)
    await query((sql) => sql`SELECT pg_stat_statements_reset()`)
    const response = await request()
    await response.body?.cancel()
    assert.isBelow(response.status, 500)
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
    for (const count of [small, large]) {
      const fixture = await makeFixture(server)
      fixtures.set(count, fixture)
      tokens.set(fixture.tenantId, await S3Server.makeToken(server, fixture.tenantId))
      await fill(fixture, count)
      // Until autovacuum analyses the tables, PostgreSQL does not know that they have grown.
      if (count === small) await query((sql) => sql`VACUUM ANALYZE`)
    }
  }, fillTimeout)

  afterAll(async () => {
    await server?.close()
    await runtime?.dispose()
    await database?.close()
  })

  const check = async (operation: GrownBuckets.Operation) => {
    const costOf = async (count: number) => {
      const shared = fixtures.get(count)
      assert.isDefined(shared)
      return measure(operation, { ...shared, ...(await makeRecords(server, shared)) })
    }
    const before = await costOf(small)
    const after = await costOf(large)
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
