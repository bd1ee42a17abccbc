/**
 * What commands print: results on standard output, all else on standard error.
 */
import * as Effect from "effect/Effect"

export const writeLine = (text: string): Effect.Effect<void> =>
  Effect.sync(() => void process.stdout.write(`${text}\n`))

export const writeError = (text: string): Effect.Effect<void> =>
  Effect.sync(() => void process.stderr.write(`${text}\n`))

/** Columns as wide as their widest cell, two spaces apart. */
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
