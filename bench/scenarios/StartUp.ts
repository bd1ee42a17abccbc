/**
 * From the start of the process until it can be asked, over data that is there already.
 */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as BareProcess from "../support/baselines/BareProcess.ts"
import type { BenchFailure } from "../support/BenchFailure.ts"
import * as CpuMeter from "../support/stats/CpuMeter.ts"
import * as HoldfastProcess from "../support/fixtures/HoldfastProcess.ts"
import type { Sample } from "../support/stats/Measure.ts"
import * as Rounds from "../support/stats/Rounds.ts"
import type { Scenario } from "../support/Stage.ts"

const subject = (name: string, start: Effect.Effect<BareProcess.Server, BenchFailure, Scope.Scope>): Rounds.Subject => {
  const round = Effect.scoped(
    Effect.gen(function* (): Effect.fn.Return<Sample, BenchFailure, Scope.Scope> {
      const begun = performance.now()
      const { pid } = yield* start
      const wallMs = performance.now() - begun
      return { cpuMs: (yield* CpuMeter.ofProcess(pid)) * 1000, databaseMs: 0, wallMs }
    })
  )
  return { name, warmUp: round, round }
}

export const startUp: Scenario = {
  name: "start-up",
  about: "from spawn to ready, against a node:http server",
  run: Effect.fnUntraced(function* ({ database, directory, profile, sizes }) {
    const data = join(directory, "holdfast")
    const instance = yield* database.create(data)
    const rootKey = yield* HoldfastProcess.mintRootKey
    return yield* Rounds.compare(
      { scenario: "start-up", database: database.name, unit: "start", goal: null },
      subject("node:http", BareProcess.start(join(directory, "bare"))),
      subject("serve", HoldfastProcess.start({ directory: data, database: instance, profile, rootKey })),
      sizes.starts
    )
  })
}
