/**
 * The processor time of another process, read from `/proc`.
 */
import * as Fs from "node:fs"

/**
 * Returns the processor time of a process's main thread so far, in milliseconds. On a busy machine it shows how long the event
 * loop of Node was stalled, while the elapsed time includes the work of other processes.
 */
export const readMainThread = (pid: number): number =>
  Number(Fs.readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6
