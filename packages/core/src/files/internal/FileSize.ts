/**
 * File sizes in a human-readable form: SI units, one decimal.
 */
import * as Schema from "effect/Schema"

export const FileSize = Schema.Struct({
  bytes: Schema.Int,
  human: Schema.String.annotate({ description: "SI units, one decimal: `1.5 MB`." })
}).annotate({ identifier: "FileSize" })
export type FileSize = typeof FileSize.Type

const units = ["kB", "MB", "GB", "TB", "PB"]

/** Formats a size: `999 B`, `1.5 MB`, `2.0 GB`. Powers of 1000, rounded half up, never `1000.0` of a unit. */
export const human = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} B`
  let value = bytes / 1000
  let unit = 0
  while (Math.round(value * 10) >= 10_000 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${value.toFixed(1)} ${units[unit]}`
}

export const of = (bytes: number): FileSize => ({ bytes, human: human(bytes) })
