/**
 * Formats the results as a table.
 */
import { type Comparison, isMet, type Unit } from "./Comparison.ts"

const digits = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 3))

/** Returns a processor time; empty where none was measured. */
const cpu = (ms: number, unit: Unit): string => (ms === 0 ? "" : time(ms, unit))

/** Returns a wall time; for idle seconds, the number of queries; of memory, its amount. */
const wall = (value: number, unit: Unit): string => {
  if (unit === "MiB") return `${digits(value)} MiB`
  return unit === "idle second" ? `${digits(value)} queries` : time(value, unit)
}

const time = (ms: number, unit: Unit): string =>
  unit === "GiB" || (unit === "video" && ms >= 10_000) ? `${(ms / 1000).toFixed(2)} s` : `${digits(ms)} ms`

const verdict = (comparison: Comparison): string => {
  const met = isMet(comparison)
  return met === undefined ? "" : met ? "yes" : "over goal"
}

const headings = [
  "scenario",
  "database",
  "per",
  "against",
  "bare",
  "holdfast",
  "ratio",
  "goal",
  "ok?",
  "wall bare",
  "wall holdfast",
  "PostgreSQL"
]

const cells = (comparison: Comparison): ReadonlyArray<string> => {
  const { base, database, goal, ratio, scenario, subject, unit } = comparison
  return [
    scenario,
    database,
    unit,
    base.name,
    cpu(base.median.cpuMs, unit),
    cpu(subject.median.cpuMs, unit),
    ratio.toFixed(2),
    goal === null ? "" : `≤ ${goal}`,
    verdict(comparison),
    wall(base.median.wallMs, unit),
    wall(subject.median.wallMs, unit),
    subject.median.databaseMs > 0 ? time(subject.median.databaseMs, unit) : ""
  ]
}

const isNumber = (cell: string): boolean => /^≤? ?[\d.]+( m?s| queries| MiB)?$/.test(cell)

/** Returns a table of all comparisons, with a line that explains its columns. */
export const render = (comparisons: ReadonlyArray<Comparison>): string => {
  const rows = [headings, ...comparisons.map(cells)]
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: ReadonlyArray<string>): string =>
    row
      .map((cell, column) => (isNumber(cell) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd()
  return [
    ...rows.map(line),
    "",
    "Processor time of the server's process, as the median of interleaved rounds. `PostgreSQL` is the additional",
    "processor time of the database's processes.",
    ""
  ].join("\n")
}
