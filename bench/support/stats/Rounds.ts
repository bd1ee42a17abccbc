/**
 * Rounds of several subjects in turn, there and back (A, B, B, A, …), so that what changes on the machine meanwhile changes for all.
 */
import * as Effect from "effect/Effect"
import type { BenchFailure } from "../BenchFailure.ts"
import * as Comparison from "./Comparison.ts"
import * as Measure from "./Measure.ts"

/** One that is measured. */
export interface Subject<E = BenchFailure> {
  readonly name: string
  /** Runs until the code is as fast as it gets. */
  readonly warmUp: Effect.Effect<unknown, E>
  readonly round: Effect.Effect<Measure.Sample, E>
}

/** Measures all subjects in the same number of rounds. */
export const interleave = <E>(
  subjects: ReadonlyArray<Subject<E>>,
  rounds: number
): Effect.Effect<ReadonlyArray<Measure.Measure>, E> =>
  Effect.gen(function* () {
    yield* Effect.forEach(subjects, ({ warmUp }) => warmUp, { discard: true })
    const samples = subjects.map((): Array<Measure.Sample> => [])
    for (let round = 0; round < rounds; round++) {
      const order = [...subjects.entries()]
      for (const [index, subject] of round % 2 === 0 ? order : order.toReversed()) {
        samples[index]?.push(yield* subject.round)
      }
    }
    return subjects.map(({ name }, index) => Measure.make(name, samples[index] ?? []))
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
