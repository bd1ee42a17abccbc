/**
 * The results as text.
 */
import { type Comparison, isMet, type Unit } from "./Comparison.ts"

const digits = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 3))

const time = (ms: number, unit: Unit): string => (unit === "GiB" ? `${(ms / 1000).toFixed(2)} s` : `${digits(ms)} ms`)

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
    time(base.median.cpuMs, unit),
    time(subject.median.cpuMs, unit),
    ratio.toFixed(2),
    goal === null ? "" : `≤ ${goal}`,
    verdict(comparison),
    time(base.median.wallMs, unit),
    time(subject.median.wallMs, unit),
    subject.median.databaseMs > 0 ? time(subject.median.databaseMs, unit) : ""
  ]
}

const isNumber = (cell: string): boolean => /^≤? ?[\d.]+( m?s)?$/.test(cell)

/** A table of all comparisons, with a line that says what its columns are. */
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
    "Processor time of the server's process, medians of interleaved rounds; `PostgreSQL` is its processes' besides.",
    ""
  ].join("\n")
}
