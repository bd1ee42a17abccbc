/**
 * How fast the files of a bucket that is full already become pending for a mirror that is made.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { BenchFailure } from "../support/BenchFailure.ts"
import * as Comparison from "../support/stats/Comparison.ts"
import * as CpuMeter from "../support/stats/CpuMeter.ts"
import * as Measure from "../support/stats/Measure.ts"
import * as Mirroring from "../support/fixtures/Mirroring.ts"
import * as Rounds from "../support/stats/Rounds.ts"
import * as Seed from "../support/fixtures/Seed.ts"
import type { Scenario } from "../support/Stage.ts"

/** A second for 20,000 files. */
const limit = Measure.make("20 k/s", [{ cpuMs: 0, databaseMs: 0, wallMs: 50 }])

export const mirrorBackfill: Scenario = {
  name: "mirror-backfill",
  about: "a mirror made of a bucket with 200,000 files, until all are known to be pending, by the clock",
  run: Effect.fnUntraced(function* (stage) {
    const node = yield* Mirroring.start(stage)
    const { database, holdfast, tenancy } = node
    const files = stage.sizes.mirrors.backfill
    const bucketId = yield* tenancy.createBucket("full")
    const own = CpuMeter.ofProcess(holdfast.pid)
    const databaseCpu = database.cpu ?? Effect.succeed(0)
    const asked = <A>(self: Effect.Effect<A, { readonly message: string }, SqlClient.SqlClient>) =>
      self.pipe(
        Effect.provide(database.client),
        Effect.mapError((cause) => new BenchFailure({ message: `The database: ${cause.message}`, cause }))
      )
    yield* asked(Seed.seed([{ tenantId: tenancy.tenantId, bucketId, files }]))

    const round = Effect.gen(function* () {
      const before = yield* Effect.all([own, databaseCpu])
      const begun = performance.now()
      const id = yield* Mirroring.create(node, bucketId, Mirroring.nowhere, "nowhere")
      yield* asked(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const filling = sql`SELECT id FROM mirror WHERE id = ${id} AND filling = 1`
          while ((yield* filling).length > 0) yield* Effect.sleep("20 millis")
        })
      )
      const wallMs = performance.now() - begun
      const after = yield* Effect.all([own, databaseCpu])
      yield* Mirroring.remove(node, bucketId, id)
      const each = 1000 / files
      return {
        cpuMs: (after[0] - before[0]) * 1000 * each,
        databaseMs: (after[1] - before[1]) * 1000 * each,
        wallMs: wallMs * each
      }
    })
    const [subject] = yield* Rounds.interleave(
      [{ name: "fill", warmUp: Effect.void, round }],
      stage.sizes.mirrors.rounds
    )
    const about = {
      scenario: "mirror backfill",
      database: stage.database.name,
      unit: "1000 files",
      by: "wall"
    } as const
    return subject === undefined ? [] : [Comparison.make({ ...about, base: limit, subject, goal: 1 })]
  })
}
