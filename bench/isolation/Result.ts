/**
 * How long the neighbour waited during an operation, and the table of all operations.
 */
import type { Waits } from "@holdfast/testing/neighbour/Waits"
import * as Calls from "./Calls.ts"

export interface Result {
  readonly operation: string
  readonly database: string
  /** How long the operation took. */
  readonly seconds: number
  /** What the operation returned. */
  readonly note: string
  readonly neighbour: Waits
  readonly reference: Waits
  /** How much longer a read waited, at most, than those of the bare HTTP server at that moment. */
  readonly worstBeyondMs: number
  /** Attempts until the machine was quiet enough, including this one. */
  readonly attempts: number
}

export type Verdict = "yes" | "over goal" | "failures"

export const verdict = ({ neighbour }: Result, goalMs: number): Verdict =>
  neighbour.failures > 0 ? "failures" : neighbour.worstMs > goalMs ? "over goal" : "yes"

/** Returns whether the bare HTTP server waited too, so that a miss of the goal shows other work of the machine. */
export const isNoise = (result: Result, goalMs: number): boolean =>
  verdict(result, goalMs) === "over goal" && (result.reference.worstMs > goalMs / 2 || result.worstBeyondMs <= goalMs)

const headings = [
  "operation",
  "database",
  "took",
  "median",
  "p99.9",
  "worst",
  "bare worst",
  "beyond bare",
  "ok?",
  "what happened"
]

const cells = (result: Result, goalMs: number): ReadonlyArray<string> => {
  const { database, neighbour, note, operation, reference, seconds, worstBeyondMs } = result
  const { medianMs, p999Ms, worstMs } = neighbour
  const waits = [medianMs, p999Ms, worstMs, reference.worstMs, worstBeyondMs].map(Calls.duration)
  const failures = neighbour.failures === 0 ? "" : `; ${neighbour.failures} failed: ${neighbour.firstFailure}`
  const noise = isNoise(result, goalMs) ? " (busy machine)" : ""
  return [
    operation,
    database,
    Calls.duration(seconds * 1000),
    ...waits,
    verdict(result, goalMs) + noise,
    note + failures
  ]
}

/** Returns a table of all results, with a line that explains its columns. */
export const render = (results: ReadonlyArray<Result>, goalMs: number): string => {
  const rows = [headings, ...results.map((result) => cells(result, goalMs))]
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const isNumber = (cell: string): boolean => /^[\d.]+ m?s$/.test(cell)
  const line = (row: ReadonlyArray<string>): string =>
    row
      .map((cell, column) => (isNumber(cell) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd()
  return [
    ...rows.map(line),
    "",
    `Waits of a client that reads a small file of another tenant meanwhile. Goal: at most ${goalMs} ms. \`bare worst\` is the`,
    "worst wait of a client of a bare HTTP server during the operation: it shows how busy the machine itself was. `beyond bare`",
    "is the largest difference between a wait and those of the bare server at the same moment.",
    ""
  ].join("\n")
}
