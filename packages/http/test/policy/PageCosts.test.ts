/**
 * What every operation reads of the file of a SQLite database, in a small and in a large bucket. SQLite does not count what a statement
 * reads, but the system counts what a process does. `HOLDFAST_FILES` sets the two sizes; without it nothing is measured, because
 * `StatementCosts` compares the same statements. `pnpm statements` compares 10,000 files with a million.
 */
import * as SqliteClient from "@holdfast/sqlite/Sqlite"
import * as SqliteMetadata from "@holdfast/sqlite/SqliteMetadata"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { SqlClient } from "effect/sql/SqlClient"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as TestServer from "../support/TestServer.ts"
import * as GrownBuckets from "./GrownBuckets.ts"
import type { Fixture } from "./PermissionTable.ts"

const [small = 0, large = 0] = GrownBuckets.givenSizes

/** Milliseconds to fill the larger bucket. */
const fillTimeout = Math.max(120_000, large)

/** Rows in one transaction. */
const batchSize = 100_000

const pageSize = 4096

/** Pages that a list of 1,000 entries may read, where the smaller bucket has fewer entries: their rows are not neighbours. */
const mostOfList = 1200

/** How often a request is sent again that has read more than it may. */
const repetitions = 2

/** Pages that differ between two runs of the same request: its answer, records that others have left, the structure of indexes. */
const tolerance = 150

/** Returns the bytes that this process has read so far, from files and connections. */
const readBytes = (): number => Number(/rchar: (\d+)/.exec(Fs.readFileSync("/proc/self/io", "utf8"))?.[1])

const isMeasured = large > 0 && process.platform === "linux"

/** Where nothing is measured, one of them is listed as skipped. */
const compared = isMeasured ? GrownBuckets.operations : GrownBuckets.operations.slice(0, 1)

describe.runIf(isMeasured)("pages of SQLite, as of pnpm statements", () => {
  let directory: string
  let server: TestServer.TestServer
  let runtime: ManagedRuntime.ManagedRuntime<SqlClient, unknown>
  let buckets: GrownBuckets.Buckets

  const query = <A, E>(run: (sql: SqlClient) => Effect.Effect<A, E>) =>
    runtime.runPromise(Effect.flatMap(SqlClient, run))

  const fill = (fixture: Fixture, size: number) =>
    query((sql) =>
      Effect.gen(function* () {
        for (let from = 0; from < size; from += batchSize) {
          const end = Math.min(from + batchSize, size)
          const numbers = sql.literal(
            `WITH RECURSIVE numbers (n) AS (SELECT ${from + 1} UNION ALL SELECT n + 1 FROM numbers WHERE n < ${end})`
          )
          yield* sql.withTransaction(GrownBuckets.insertFiles(sql, fixture, size, numbers))
          yield* sql`PRAGMA wal_checkpoint(PASSIVE)`
        }
        yield* GrownBuckets.expectTasks(sql, fixture, size)
      })
    )

  /** Returns the pages that a request reads, and its status. A change by another connection before it empties the caches of the server's. */
  const measure = async (operation: GrownBuckets.Operation, size: number) => {
    const { bucketId, send } = await buckets.prepare(operation, size)
    await query((sql) => sql`UPDATE bucket SET name = name WHERE id = ${bucketId}`)
    const before = readBytes()
    const status = await send()
    return { pages: Math.ceil((readBytes() - before) / pageSize), status }
  }

  beforeAll(async () => {
    directory = await Fs.promises.mkdtemp(Path.join(Os.tmpdir(), "holdfast-pages-"))
    const file = Path.join(directory, "holdfast.sqlite")
    server = await TestServer.start({ metadata: SqliteMetadata.layer({ file }) })
    runtime = ManagedRuntime.make(SqliteClient.layer({ file }))
    buckets = await GrownBuckets.make(server, [small, large], fill)
  }, fillTimeout)

  afterAll(async () => {
    await server?.close()
    await runtime?.dispose()
    await Fs.promises.rm(directory, { recursive: true, force: true })
  })

  for (const operation of compared) {
    it(`${operation.route} → reads as much in a bucket with ${large} files as with ${small}`, async () => {
      const before = await measure(operation, small)
      const most = Math.max(GrownBuckets.ratioFrom(small) * before.pages, mostOfList) + tolerance
      let after = await measure(operation, large)
      // What else this process reads meanwhile counts, too. A record that is gone cannot be removed again.
      for (let repetition = 0; after.pages > most && repetition < repetitions; repetition++) {
        const again = await measure(operation, large)
        if (again.status === after.status) after = again
      }
      assert.isAtMost(after.pages, most, JSON.stringify({ before, after }))
    })
  }
})
