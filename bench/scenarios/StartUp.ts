/**
 * Measures the time from the start of the process until it accepts requests, with an existing database.
 */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as NodeServerProcess from "../support/baselines/NodeServerProcess.ts"
import * as HoldfastProcess from "../support/fixtures/HoldfastProcess.ts"
import type { ServerProcess } from "../support/processes/ServerProcess.ts"
import type { BenchFailure } from "../support/run/BenchFailure.ts"
import type { Scenario } from "../support/run/Scenario.ts"
import * as CpuMeter from "../support/stats/CpuMeter.ts"
import type { Sample } from "../support/stats/Measurement.ts"
import * as Rounds from "../support/stats/Rounds.ts"

const startOf = (name: string, start: Effect.Effect<ServerProcess, BenchFailure, Scope.Scope>): Rounds.Subject => {
  const round = Effect.scoped(
    Effect.gen(function* (): Effect.fn.Return<Sample, BenchFailure, Scope.Scope> {
      const begin = performance.now()
      const { pid } = yield* start
      const wallMs = performance.now() - begin
      return { cpuMs: (yield* CpuMeter.ofProcess(pid)) * 1000, databaseMs: 0, wallMs }
    })
  )
  return { name, warmUp: round, round }
}

export const startUp: Scenario = {
  name: "start-up",
  description: "from spawn to ready, against a node:http server",
  run: Effect.fnUntraced(function* ({ database, directory, profile, sizes }) {
    const data = join(directory, "holdfast")
    const instance = yield* database.create(data)
    const rootKey = yield* HoldfastProcess.mintRootKey
    return yield* Rounds.compare(
      { scenario: "start-up", database: database.name, unit: "start", goal: null },
      startOf("node:http", NodeServerProcess.start(join(directory, "bare"))),
      startOf("serve", HoldfastProcess.start({ directory: data, database: instance, profile, rootKey })),
      sizes.starts
    )
  })
}
