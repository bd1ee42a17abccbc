/**
 * Measures several subjects in turns, so that a change of the machine's load meanwhile affects all of them. Their order changes from round to
 * round: what a subject leaves behind, such as writes to the disk, affects the next one.
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

/**
 * Returns the order of the subjects in a round. In as many rounds as there are subjects, or twice as many of an odd number, each follows each
 * other one equally often, but for the first of a round (a Latin square that is balanced for first-order carryover: Williams, 1949).
 */
const orderOf = (count: number, round: number): ReadonlyArray<number> => {
  const order = Array.from({ length: count }, (_, place) => {
    const zigzag = place % 2 === 1 ? (place + 1) / 2 : count - place / 2
    return (zigzag + round) % count
  })
  return count % 2 === 1 && Math.floor(round / count) % 2 === 1 ? order.toReversed() : order
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
      for (const index of orderOf(subjects.length, round)) {
        const subject = subjects[index]
        if (subject !== undefined) samples[index]?.push(yield* subject.round)
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
