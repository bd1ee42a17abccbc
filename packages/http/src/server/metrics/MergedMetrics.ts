/**
 * Adds up the metrics of several processes, in the text format of Prometheus.
 * Format: https://prometheus.io/docs/instrumenting/exposition_formats
 */

/** The metrics of one name. */
interface Family {
  /** The lines `HELP` and `TYPE`. */
  readonly comments: ReadonlyArray<string>
  readonly type: string
  /** The values by name and labels. */
  readonly values: Map<string, number>
}

export type Families = Map<string, Family>

type Combine = (a: number, b: number) => number

const add: Combine = (a, b) => a + b

/** Gauges of which the sum has no meaning. All others are parts of a sum, or are reported by one process only. */
const combinations: ReadonlyMap<string, Combine> = new Map([
  ["holdfast_clock_skew_seconds", (a, b) => (Math.abs(a) > Math.abs(b) ? a : b)],
  ["nodejs_eventloop_lag_seconds", Math.max],
  ["process_start_time_seconds", Math.min]
])

const parseValue = (text: string): number => (text === "+Inf" ? Infinity : text === "-Inf" ? -Infinity : Number(text))

const formatValue = (value: number): string =>
  value === Infinity ? "+Inf" : value === -Infinity ? "-Inf" : String(value)

/** Adds the metrics of a process. A value that is not a number counts as absent. */
export const addText = (families: Families, text: string): void => {
  let [name, comments, type]: [string, ReadonlyArray<string>, string] = ["", [], ""]
  for (const line of text.split("\n")) {
    const [, kind, commented = "", rest = ""] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? []
    if (kind !== undefined) {
      comments = commented === name ? [...comments, line] : [line]
      name = commented
      if (kind === "TYPE") type = rest
      continue
    }
    const end = line.lastIndexOf(" ")
    if (end <= 0) continue
    const family: Family = families.get(name) ?? { comments, type, values: new Map() }
    families.set(name, family)
    const [series, value] = [line.slice(0, end), parseValue(line.slice(end + 1))]
    const found = family.values.get(series)
    const combine = combinations.get(name) ?? add
    if (found === undefined || Number.isNaN(found)) family.values.set(series, value)
    else if (!Number.isNaN(value)) family.values.set(series, combine(found, value))
  }
}

const countingTypes: ReadonlySet<string> = new Set(["counter", "histogram"])

/** Removes what a process that has ended no longer has. Its counters remain: a sum that decreased would look like a restart. */
export const keepCounters = (families: Families): void => {
  for (const [name, { type }] of families) if (!countingTypes.has(type)) families.delete(name)
}

/** Returns the text of metrics. */
export const format = (families: Families): string => {
  const lines = Array.from(families.values()).flatMap(({ comments, values }) =>
    comments.concat(Array.from(values, ([series, value]) => `${series} ${formatValue(value)}`))
  )
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`
}

/** Returns the sum of the metrics of several processes. */
export const merge = (texts: ReadonlyArray<string>): string => {
  const families: Families = new Map()
  for (const text of texts) addText(families, text)
  return format(families)
}
