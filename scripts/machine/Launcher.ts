/**
 * Stops this process when the `npx` that launched it exits.
 *
 * `npx` does not forward signals to the command that it runs, so stopping `npx pnpm start` by its process id would leave
 * the service running, with its port in use. This works on Linux; elsewhere it does nothing.
 */
import { readFileSync } from "node:fs"

interface Process {
  readonly parent: number
  /** Distinguishes a process from a later one with the same id. */
  readonly startedAt: string
  readonly title: string
}

const read = (pid: number): Process | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The second field is the program's name in parentheses and may contain spaces (proc(5)).
    const [state, parent, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    if (state === "Z") return undefined
    const title = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
    return { parent: Number(parent), startedAt: rest[17] ?? "", title }
  } catch {
    return undefined
  }
}

/** Finds the `npx` process among a process and its ancestors. */
const findNpx = (pid: number): { readonly pid: number; readonly startedAt: string } | undefined => {
  const process = pid > 1 ? read(pid) : undefined
  if (process === undefined) return undefined
  return process.title.startsWith("npm exec ") ? { pid, startedAt: process.startedAt } : findNpx(process.parent)
}

/** Sends SIGTERM to this process once the `npx` that launched it has exited. Polls every second. */
export const stopWhenNpxExits = (): void => {
  const launcher = findNpx(process.ppid)
  if (launcher === undefined) return
  const timer = setInterval(() => {
    if (read(launcher.pid)?.startedAt === launcher.startedAt) return
    clearInterval(timer)
    process.kill(process.pid, "SIGTERM")
  }, 1000)
  timer.unref()
}
