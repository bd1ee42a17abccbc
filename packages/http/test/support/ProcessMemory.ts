/**
 * The memory of another process, read from `/proc`.
 */
import * as Fs from "node:fs"

/** Returns the resident memory of a process now, and its peak since the last `resetPeakMemory`, in bytes. */
export const readMemory = (pid: number) => {
  const status = Fs.readFileSync(`/proc/${pid}/status`, "utf8")
  const valueOf = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024
  return { now: valueOf("VmRSS"), peak: valueOf("VmHWM") }
}

/** Resets the peak to the current memory (proc_pid_clear_refs(5)). */
export const resetPeakMemory = (pid: number) => Fs.writeFileSync(`/proc/${pid}/clear_refs`, "5")
