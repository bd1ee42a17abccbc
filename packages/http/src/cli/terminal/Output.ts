/**
 * Prints the results of commands to standard output and everything else to standard error.
 */
import * as Effect from "effect/Effect"

/** Writes a line to standard output. */
export const writeLine = (text: string): Effect.Effect<void> =>
  Effect.sync(() => void process.stdout.write(`${text}\n`))

/** Writes a line to standard error. */
export const writeError = (text: string): Effect.Effect<void> =>
  Effect.sync(() => void process.stderr.write(`${text}\n`))

/** Names have no control characters, but may have some that reorder or hide text. */
export const printable = (text: string): string => text.replaceAll(/\p{Cf}/gu, "\uFFFD")

/** Renders rows as a table. Each column is as wide as its widest cell; two spaces separate the columns. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths: Array<number> = []
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length)
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}
