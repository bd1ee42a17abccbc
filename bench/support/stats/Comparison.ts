/**
 * One line of the result: a subject compared with its base.
 */
import type { Measurement } from "./Measurement.ts"

/** The unit that the numbers are per. */
export type Unit = "request" | "GiB" | "start" | "video" | "file" | "1000 files" | "idle second" | "MiB"

export interface Comparison {
  readonly scenario: string
  readonly database: string
  readonly unit: Unit
  /** What the ratio compares: wall time, or processor time when undefined. */
  readonly by?: "wall" | undefined
  readonly base: Measurement
  readonly subject: Measurement
  /** The subject's processor time or wall time, as a multiple of the base's. */
  readonly ratio: number
  /** The largest acceptable ratio; null where none was set. */
  readonly goal: number | null
}

/** Returns a comparison with its ratio. */
export const make = (comparison: Omit<Comparison, "ratio">): Comparison => ({
  ...comparison,
  ratio:
    comparison.by === "wall"
      ? comparison.subject.median.wallMs / comparison.base.median.wallMs
      : comparison.subject.median.cpuMs / comparison.base.median.cpuMs
})

/** Returns whether the goal is met; undefined where there is none. */
export const isMet = ({ goal, ratio }: Comparison): boolean | undefined => (goal === null ? undefined : ratio <= goal)
