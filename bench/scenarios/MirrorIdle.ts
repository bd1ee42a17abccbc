/**
 * Measures how often a node queries the database while it has no work: for mirrors, conversions and the sweeper.
 */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as SdkUploadsProcess from "../support/baselines/SdkUploadsProcess.ts"
import * as Database from "../support/fixtures/Database.ts"
import * as Mirrors from "../support/fixtures/Mirrors.ts"
import { smallBytes } from "../support/fixtures/Sizes.ts"
import * as Requests from "../support/load/Requests.ts"
import type { Scenario } from "../support/run/Scenario.ts"
import * as Comparison from "../support/stats/Comparison.ts"
import * as Measurement from "../support/stats/Measurement.ts"
import * as Rounds from "../support/stats/Rounds.ts"

/** This scenario has numbers of queries in the place of wall times. */
const limit = Measurement.fixedLimit("2 queries", 2)

/**
 * Returns the number of transactions so far; a statement outside of a transaction counts as one. PostgreSQL updates the
 * number within a second.
 */
const countTransactions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly count: number }>`
    SELECT CAST(xact_commit + xact_rollback AS float8) AS count FROM pg_stat_database WHERE datname = current_database()`
  return row?.count ?? Number.NaN
})

export const mirrorIdle: Scenario = {
  name: "mirror-idle",
  description: "queries per second of a node with a mirror and no work (only PostgreSQL counts them)",
  run: Effect.fnUntraced(function* (context) {
    if (context.database.name !== "postgres") return []
    const seconds = context.sizes.mirrors.idleSeconds
    const sdk = yield* SdkUploadsProcess.start(join(context.directory, "sdk.log"))
    const service = yield* Mirrors.startService(context)
    const { tenancy } = service
    yield* SdkUploadsProcess.createBucket(sdk, "idle")
    const id = yield* Mirrors.create(service, tenancy.bucketId, sdk.gateway, "idle")
    const requests = [Requests.postForm(tenancy.files("/upload"), "a.bin", smallBytes)]
    yield* context.runLoad({ port: service.port, requests, connections: 1, count: 1, status: 201, firstNumber: 0 })
    yield* Mirrors.awaitCopies(service, tenancy.bucketId, id, 1)

    const transactions = Database.query(service.database, countTransactions)
    const idle = Effect.gen(function* () {
      const before = yield* transactions
      yield* Effect.sleep(`${seconds} seconds`)
      return (yield* transactions) - before
    })
    const round = Effect.map(
      Measurement.measure(service.cpu, seconds, idle),
      ([sample, queries]): Measurement.Sample => ({ ...sample, wallMs: queries / seconds })
    )
    // Until then the work that was just done may still cause queries.
    const [subject] = yield* Rounds.interleave([{ name: "idle", warmUp: Effect.sleep("12 seconds"), round }], 1)
    const about = { scenario: "idle", database: context.database.name, unit: "idle second", by: "wall" } as const
    return subject === undefined ? [] : [Comparison.make({ ...about, base: limit, subject, goal: 1 })]
  })
}
