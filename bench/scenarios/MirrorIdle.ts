/**
 * How often a node asks the database while there is nothing to do: for mirrors, conversions, and what is to be swept.
 */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as BareSdk from "../support/baselines/BareSdk.ts"
import { BenchFailure } from "../support/BenchFailure.ts"
import * as Comparison from "../support/stats/Comparison.ts"
import * as CpuMeter from "../support/stats/CpuMeter.ts"
import * as Measure from "../support/stats/Measure.ts"
import * as Mirroring from "../support/fixtures/Mirroring.ts"
import * as Requests from "../support/load/Requests.ts"
import * as Rounds from "../support/stats/Rounds.ts"
import { smallBytes } from "../support/fixtures/Sizes.ts"
import type { Scenario } from "../support/Stage.ts"

/** Numbers stand where times do elsewhere. */
const limit = Measure.make("2 queries", [{ cpuMs: 0, databaseMs: 0, wallMs: 2 }])

/** Transactions so far: each statement outside of one counts as one. The server tells it a second late at most. */
const transactions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly count: number }>`
    SELECT CAST(xact_commit + xact_rollback AS float8) AS count FROM pg_stat_database WHERE datname = current_database()`
  return row?.count ?? Number.NaN
})

export const mirrorIdle: Scenario = {
  name: "mirror-idle",
  about: "queries per second of a node with a mirror and nothing to do (PostgreSQL alone counts them)",
  run: Effect.fnUntraced(function* (stage) {
    if (stage.database.name !== "postgres") return []
    const seconds = stage.sizes.mirrors.idleSeconds
    const bare = yield* BareSdk.start(join(stage.directory, "sdk.log"))
    const node = yield* Mirroring.start(stage)
    const { database, holdfast, tenancy } = node
    yield* bare.run({ bucket: "idle", file: "", count: 0, concurrency: 1 })
    const id = yield* Mirroring.create(node, tenancy.bucketId, bare.gateway, "idle")
    const requests = [Requests.postForm(tenancy.files("/upload"), "a.bin", smallBytes)]
    yield* stage.load({ port: holdfast.port, requests, connections: 1, count: 1, status: 201, firstNumber: 0 })
    yield* Mirroring.settled(node, tenancy.bucketId, id, 1)

    const count = transactions.pipe(
      Effect.provide(database.client),
      Effect.mapError((cause) => new BenchFailure({ message: `The database: ${cause.message}`, cause }))
    )
    const own = CpuMeter.ofProcess(holdfast.pid)
    const round = Effect.gen(function* () {
      const before = yield* Effect.all([own, database.cpu ?? Effect.succeed(0), count])
      yield* Effect.sleep(`${seconds} seconds`)
      const after = yield* Effect.all([own, database.cpu ?? Effect.succeed(0), count])
      return {
        cpuMs: ((after[0] - before[0]) * 1000) / seconds,
        databaseMs: ((after[1] - before[1]) * 1000) / seconds,
        wallMs: (after[2] - before[2]) / seconds
      }
    })
    // What was done just now is counted, and rests.
    const [subject] = yield* Rounds.interleave([{ name: "idle", warmUp: Effect.sleep("12 seconds"), round }], 1)
    const about = { scenario: "idle", database: stage.database.name, unit: "idle second", by: "wall" } as const
    return subject === undefined ? [] : [Comparison.make({ ...about, base: limit, subject, goal: 1 })]
  })
}
