/**
 * One line of the result: a subject against its base.
 */
import type { Measure } from "./Measure.ts"

/** What the numbers are per. */
export type Unit = "request" | "GiB" | "start"

export interface Comparison {
  readonly scenario: string
  readonly database: string
  readonly unit: Unit
  readonly base: Measure
  readonly subject: Measure
  /** Processor time of the subject, as a multiple of the base's. */
  readonly ratio: number
  /** The largest ratio that is wanted; null where none was set. */
  readonly goal: number | null
}

export const make = (comparison: Omit<Comparison, "ratio">): Comparison => ({
  ...comparison,
  ratio: comparison.subject.median.cpuMs / comparison.base.median.cpuMs
})

/** Whether the goal is met; undefined where there is none. */
export const isMet = ({ goal, ratio }: Comparison): boolean | undefined => (goal === null ? undefined : ratio <= goal)
