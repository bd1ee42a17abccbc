/**
 * A server under load, as a subject of measured rounds.
 */
import * as Effect from "effect/Effect"
import type { BenchFailure } from "../run/BenchFailure.ts"
import * as Measurement from "../stats/Measurement.ts"
import type { Subject } from "../stats/Rounds.ts"
import type { Outgoing } from "./LoadJob.ts"
import type { RunLoad } from "./LoadProcess.ts"

/** The server that a load goes to. */
export interface LoadedServer {
  readonly runLoad: RunLoad
  readonly port: number
  readonly cpu: Measurement.CpuSource
}

export interface Options extends LoadedServer {
  readonly name: string
  /** The n-th connection repeats the n-th of these. */
  readonly requests: ReadonlyArray<Outgoing>
  readonly connections: number
  /** The status that every response must have. */
  readonly status: number
  /** Requests in each round. */
  readonly count: number
  /** Requests before the first round. */
  readonly warmUp: number
  /** The part of a unit that one request is. */
  readonly unitsPerRequest: number
  /** Runs after each round and is not measured. */
  readonly afterRound?: Effect.Effect<void, BenchFailure>
}

/** Returns a subject that puts the same load on a server in each round. */
export const make = (options: Options): Subject => {
  const { afterRound = Effect.void, connections, cpu, name, port, requests, runLoad, status } = options
  let firstNumber = 0

  const run = (count: number) =>
    Effect.suspend(() => {
      const job = { port, requests, connections: Math.min(connections, count), count, status, firstNumber }
      firstNumber += count
      return runLoad(job)
    })

  const round = Effect.suspend(() => {
    const units = options.count * options.unitsPerRequest
    return Effect.map(
      Measurement.measure(cpu, units, run(options.count)),
      // The load generator measures the time without the messages to and from it.
      ([sample, { wallMs }]): Measurement.Sample => ({ ...sample, wallMs: wallMs / units })
    )
  })

  return {
    name,
    warmUp: options.warmUp === 0 ? Effect.void : Effect.andThen(run(options.warmUp), afterRound),
    round: Effect.tap(round, () => afterRound)
  }
}
