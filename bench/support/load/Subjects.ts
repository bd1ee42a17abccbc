/**
 * Servers under load, as subjects of rounds.
 */
import * as Effect from "effect/Effect"
import type { BenchFailure } from "../BenchFailure.ts"
import type { Load } from "./Load.ts"
import type { Outgoing } from "./LoadJob.ts"
import type { Sample } from "../stats/Measure.ts"
import type { Subject } from "../stats/Rounds.ts"

export interface Options {
  readonly name: string
  readonly load: Load
  readonly port: number
  /** Processor time so far of what is measured, in seconds. */
  readonly cpu: Effect.Effect<number, BenchFailure>
  /** Of the database's processes; absent where there are none. */
  readonly databaseCpu?: Effect.Effect<number, BenchFailure> | undefined
  /** The n-th connection sends the n-th of these. */
  readonly requests: ReadonlyArray<Outgoing>
  readonly connections: number
  readonly status: number
  /** Requests in a round, and before the first. */
  readonly count: number
  readonly warmUp: number
  /** How much of a unit one request is. */
  readonly unitsPerRequest: number
  /** Runs after each round, outside of the measurement. */
  readonly tidy?: Effect.Effect<void, BenchFailure>
}

/** A server that gets the same load in each round. */
export const make = (options: Options): Subject => {
  const { connections, cpu, databaseCpu = Effect.succeed(0), load, name, port, requests, status } = options
  const tidy = options.tidy ?? Effect.void
  let firstNumber = 0

  const run = (count: number) =>
    Effect.suspend(() => {
      const job = { port, requests, connections: Math.min(connections, count), count, status, firstNumber }
      firstNumber += count
      return load(job)
    })

  const round = Effect.gen(function* (): Effect.fn.Return<Sample, BenchFailure> {
    const before = yield* Effect.all([cpu, databaseCpu])
    const { wallMs } = yield* run(options.count)
    const after = yield* Effect.all([cpu, databaseCpu])
    const units = options.count * options.unitsPerRequest
    return {
      cpuMs: ((after[0] - before[0]) * 1000) / units,
      databaseMs: ((after[1] - before[1]) * 1000) / units,
      wallMs: wallMs / units
    }
  })

  return {
    name,
    warmUp: options.warmUp === 0 ? Effect.void : Effect.andThen(run(options.warmUp), tidy),
    round: Effect.tap(round, () => tidy)
  }
}
