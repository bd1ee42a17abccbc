/**
 * Measures processor time and wall time of work.
 */
import * as Effect from "effect/Effect"
import type { BenchFailure } from "../run/BenchFailure.ts"

/** One round, per unit of work: a request, a GiB, a start. */
export interface Sample {
  /** Processor time of the measured processes. */
  readonly cpuMs: number
  /** Processor time of the database's own processes; 0 where there are none. */
  readonly databaseMs: number
  readonly wallMs: number
}

/** All rounds of one subject. */
export interface Measurement {
  readonly name: string
  /** Of the rounds. */
  readonly median: Sample
  readonly rounds: ReadonlyArray<Sample>
}

/** Reads the processor time that processes have used so far, in seconds. */
export interface CpuSource {
  readonly server: Effect.Effect<number, BenchFailure>
  /** Of the database's own processes; undefined where there are none. */
  readonly database?: Effect.Effect<number, BenchFailure> | undefined
}

/** Runs work and returns its sample per unit, together with its result. */
export const measure = <A>(
  { database = Effect.succeed(0), server }: CpuSource,
  units: number,
  work: Effect.Effect<A, BenchFailure>
): Effect.Effect<readonly [Sample, A], BenchFailure> =>
  Effect.gen(function* () {
    const before = yield* Effect.all([server, database])
    const start = performance.now()
    const result = yield* work
    const wallMs = performance.now() - start
    const after = yield* Effect.all([server, database])
    const sample = {
      cpuMs: ((after[0] - before[0]) * 1000) / units,
      databaseMs: ((after[1] - before[1]) * 1000) / units,
      wallMs: wallMs / units
    }
    return [sample, result] as const
  })

const median = (numbers: ReadonlyArray<number>): number => {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** Returns the measurement of a subject from its rounds. */
export const make = (name: string, rounds: ReadonlyArray<Sample>): Measurement => ({
  name,
  rounds,
  median: {
    cpuMs: median(rounds.map((sample) => sample.cpuMs)),
    databaseMs: median(rounds.map((sample) => sample.databaseMs)),
    wallMs: median(rounds.map((sample) => sample.wallMs))
  }
})

/** Returns a base that a subject must not exceed: a fixed wall time (or count) instead of a measured one. */
export const fixedLimit = (name: string, wallMs: number): Measurement =>
  make(name, [{ cpuMs: 0, databaseMs: 0, wallMs }])
