/**
 * Counters: metrics that only increase.
 */
import * as Metric from "effect/Metric"

/** Declares a counter. The attributes become the labels of its series. */
export const make = (
  name: string,
  description: string,
  attributes: Readonly<Record<string, string>> = {}
): Metric.Counter<number> => Metric.counter(name, { description, incremental: true, attributes })
