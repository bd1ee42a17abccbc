/**
 * Options of `open` for a Holdfast in memory.
 */
import type { OpenOptions } from "@holdfast/core"
import { memory } from "./Memory.ts"

/**
 * Returns options of `open` for an empty Holdfast in memory. It does not sweep: removed files keep their bytes until it is
 * closed.
 *
 * @example
 * await using holdfast = await open(inMemory())
 */
export const inMemory = (): Pick<OpenOptions, "blobs" | "metadata" | "sweepEvery"> => ({
  metadata: memory(),
  blobs: memory(),
  sweepEvery: false
})
