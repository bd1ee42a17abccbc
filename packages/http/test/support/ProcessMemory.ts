/**
 * The memory of another process, read from `/proc`, and the collection of its garbage, by the protocol of Node's inspector.
 */
import * as Fs from "node:fs"
import type { Running } from "./Process.ts"

/** Returns the resident memory of a process now, and its peak since the last `resetPeakMemory`, in bytes. */
export const readMemory = (pid: number) => {
  const status = Fs.readFileSync(`/proc/${pid}/status`, "utf8")
  const valueOf = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024
  return { now: valueOf("VmRSS"), peak: valueOf("VmHWM") }
}

/** Resets the peak to the current memory (proc_pid_clear_refs(5)). */
export const resetPeakMemory = (pid: number) => Fs.writeFileSync(`/proc/${pid}/clear_refs`, "5")

/** The environment of a process whose garbage `collectGarbage` collects. */
export const inspectable = { NODE_OPTIONS: "--inspect=127.0.0.1:0" }

/** Collects the garbage of a process's main thread, so that its memory afterwards is that which it needs. */
export const collectGarbage = async ({ stderr }: Running): Promise<void> => {
  const [, url = ""] = /Debugger listening on (ws:\S+)/.exec(stderr()) ?? []
  const socket = new WebSocket(url)
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => socket.send(JSON.stringify({ id: 1, method: "HeapProfiler.collectGarbage" })))
    socket.addEventListener("message", () => resolve())
    socket.addEventListener("error", () => reject(new Error(`The inspector at ${url} does not answer.`)))
  }).finally(() => socket.close())
}
