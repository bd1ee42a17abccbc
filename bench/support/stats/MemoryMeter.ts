/**
 * Reads the resident memory of processes from Linux.
 */
import { readFile } from "node:fs/promises"
import type * as Effect from "effect/Effect"
import { attempt, type BenchFailure } from "../run/BenchFailure.ts"

/** Returns the resident memory of one process, in bytes. */
export const ofProcess = (pid: number): Effect.Effect<number, BenchFailure> =>
  attempt("Reading the memory from /proc, which only Linux has", async () => {
    const text = await readFile(`/proc/${pid}/status`, "utf8")
    return Number(/^VmRSS:\s*(\d+)/m.exec(text)?.[1] ?? 0) * 1024
  })
