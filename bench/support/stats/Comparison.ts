/**
 * One line of the result: a subject against its base.
 */
import type { Measure } from "./Measure.ts"

/** What the numbers are per. */
export type Unit = "request" | "GiB" | "start" | "video" | "file" | "1000 files" | "idle second"

export interface Comparison {
  readonly scenario: string
  readonly database: string
  readonly unit: Unit
  /** What the ratio is of; processor time when absent. */
  readonly by?: "wall" | undefined
  readonly base: Measure
  readonly subject: Measure
  /** Processor time, or time by the clock, of the subject, as a multiple of the base's. */
  readonly ratio: number
  /** The largest ratio that is wanted; null where none was set. */
  readonly goal: number | null
}

export const make = (comparison: Omit<Comparison, "ratio">): Comparison => ({
  ...comparison,
  ratio:
    comparison.by === "wall"
      ? comparison.subject.median.wallMs / comparison.base.median.wallMs
      : comparison.subject.median.cpuMs / comparison.base.median.cpuMs
})

/** Whether the goal is met; undefined where there is none. */
export const isMet = ({ goal, ratio }: Comparison): boolean | undefined => (goal === null ? undefined : ratio <= goal)
