/**
 * Numbers of one subject.
 */

/** One round, per unit of work: a request, a GiB, a start. */
export interface Sample {
  /** Processor time of the measured processes. */
  readonly cpuMs: number
  /** Processor time of the database's processes, where it has some. */
  readonly databaseMs: number
  readonly wallMs: number
}

export interface Measure {
  readonly name: string
  /** Of the rounds. */
  readonly median: Sample
  readonly rounds: ReadonlyArray<Sample>
}

const median = (numbers: ReadonlyArray<number>): number => {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

export const make = (name: string, rounds: ReadonlyArray<Sample>): Measure => ({
  name,
  rounds,
  median: {
    cpuMs: median(rounds.map((sample) => sample.cpuMs)),
    databaseMs: median(rounds.map((sample) => sample.databaseMs)),
    wallMs: median(rounds.map((sample) => sample.wallMs))
  }
})
