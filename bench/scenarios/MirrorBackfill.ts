/**
 * Measures how fast the files of a full bucket become pending for a new mirror.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Database from "../support/fixtures/Database.ts"
import * as Mirrors from "../support/fixtures/Mirrors.ts"
import * as Seed from "../support/fixtures/Seed.ts"
import type { Scenario } from "../support/run/Scenario.ts"
import * as Comparison from "../support/stats/Comparison.ts"
import * as Measurement from "../support/stats/Measurement.ts"
import * as Rounds from "../support/stats/Rounds.ts"

/** 20,000 files per second, as milliseconds per 1,000 files. */
const limit = Measurement.fixedLimit("20 k/s", 50)

/** Waits until all files of the mirror's bucket are pending. */
const awaitBackfill = Effect.fnUntraced(function* (mirrorId: string) {
  const sql = yield* SqlClient.SqlClient
  const filling = sql`SELECT id FROM mirror WHERE id = ${mirrorId} AND filling <> 0`
  while ((yield* filling).length > 0) yield* Effect.sleep("20 millis")
})

export const mirrorBackfill: Scenario = {
  name: "mirror-backfill",
  description: "a mirror created for a bucket with 200,000 files, until all of them are pending, as wall time",
  run: Effect.fnUntraced(function* (context) {
    const service = yield* Mirrors.startService(context)
    const { tenantId } = service.tenancy
    const files = context.sizes.mirrors.backfill
    const bucketId = yield* service.tenancy.createBucket("full")
    yield* Database.query(service.database, Seed.seed([{ tenantId, bucketId, files, ordinal: 0 }]))

    const backfill = Effect.gen(function* () {
      const id = yield* Mirrors.create(service, bucketId, Mirrors.unreachable, "unreachable")
      yield* Database.query(service.database, awaitBackfill(id))
      return id
    })
    const round = Effect.gen(function* () {
      const [sample, id] = yield* Measurement.measure(service.cpu, files / 1000, backfill)
      yield* Mirrors.remove(service, bucketId, id)
      return sample
    })
    const [subject] = yield* Rounds.interleave(
      [{ name: "fill", warmUp: Effect.void, round }],
      context.sizes.mirrors.rounds
    )
    const about = {
      scenario: "mirror backfill",
      database: context.database.name,
      unit: "1000 files",
      by: "wall"
    } as const
    return subject === undefined ? [] : [Comparison.make({ ...about, base: limit, subject, goal: 1 })]
  })
}
