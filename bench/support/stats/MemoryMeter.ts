/**
 * Reads the resident memory of processes from Linux.
 */
import { readFile } from "node:fs/promises"
import type * as Effect from "effect/Effect"
import { attempt, type BenchFailure } from "../run/BenchFailure.ts"

/** See proc_pid_status(5). */
const read = (pid: number, field: RegExp): Effect.Effect<number, BenchFailure> =>
  attempt("Reading the memory from /proc, which only Linux has", async () => {
    const text = await readFile(`/proc/${pid}/status`, "utf8")
    return Number(field.exec(text)?.[1] ?? 0) * 1024
  })

/** Returns the resident memory of one process, in bytes. */
export const ofProcess = (pid: number): Effect.Effect<number, BenchFailure> => read(pid, /^VmRSS:\s*(\d+)/m)

/** Returns the most resident memory that a process has had so far, in bytes. */
export const peakOfProcess = (pid: number): Effect.Effect<number, BenchFailure> => read(pid, /^VmHWM:\s*(\d+)/m)
