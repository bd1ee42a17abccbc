/**
 * Measures several subjects in alternating rounds (A, B, B, A, …), so that a change of the machine's load meanwhile
 * affects all of them.
 */
import * as Effect from "effect/Effect"
import type { BenchFailure } from "../run/BenchFailure.ts"
import * as Comparison from "./Comparison.ts"
import * as Measurement from "./Measurement.ts"

/** What is measured: a server under load, a command, a conversion. */
export interface Subject<E = BenchFailure> {
  readonly name: string
  /** Runs until the code has reached its full speed. */
  readonly warmUp: Effect.Effect<unknown, E>
  readonly round: Effect.Effect<Measurement.Sample, E>
}

/** Measures all subjects in the same number of rounds. */
export const interleave = <E>(
  subjects: ReadonlyArray<Subject<E>>,
  rounds: number
): Effect.Effect<ReadonlyArray<Measurement.Measurement>, E> =>
  Effect.gen(function* () {
    yield* Effect.forEach(subjects, ({ warmUp }) => warmUp, { discard: true })
    const samples = subjects.map((): Array<Measurement.Sample> => [])
    for (let round = 0; round < rounds; round++) {
      const order = [...subjects.entries()]
      for (const [index, subject] of round % 2 === 0 ? order : order.toReversed()) {
        samples[index]?.push(yield* subject.round)
      }
    }
    return subjects.map(({ name }, index) => Measurement.make(name, samples[index] ?? []))
  })

/** Measures one subject against its base. */
export const compare = <E>(
  about: Omit<Comparison.Comparison, "base" | "subject" | "ratio">,
  base: Subject<E>,
  subject: Subject<E>,
  rounds: number
): Effect.Effect<ReadonlyArray<Comparison.Comparison>, E> =>
  Effect.map(interleave([base, subject], rounds), ([first, second]) =>
    first === undefined || second === undefined ? [] : [Comparison.make({ ...about, base: first, subject: second })]
  )
