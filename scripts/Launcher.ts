/**
 * `npx` hands no signal on to what it runs, so stopping `npx pnpm start` by its process id would leave the service
 * behind, with its port. Here a process follows the `npx` that launched it (Linux; elsewhere nothing happens).
 */
import { readFileSync } from "node:fs"

interface Process {
  readonly parent: number
  /** Tells a process from a later one with the same id. */
  readonly startedAt: string
  readonly title: string
}

const read = (pid: number): Process | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The second field is the program's name in parentheses and may hold spaces (proc(5)).
    const [state, parent, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    if (state === "Z") return undefined
    const title = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
    return { parent: Number(parent), startedAt: rest[17] ?? "", title }
  } catch {
    return undefined
  }
}

const find = (pid: number): { readonly pid: number; readonly startedAt: string } | undefined => {
  const process = pid > 1 ? read(pid) : undefined
  if (process === undefined) return undefined
  return process.title.startsWith("npm exec ") ? { pid, startedAt: process.startedAt } : find(process.parent)
}

/** Sends SIGTERM to this process once the `npx` above it has ended. */
export const follow = (): void => {
  const launcher = find(process.ppid)
  if (launcher === undefined) return
  const timer = setInterval(() => {
    if (read(launcher.pid)?.startedAt === launcher.startedAt) return
    clearInterval(timer)
    process.kill(process.pid, "SIGTERM")
  }, 1000)
  timer.unref()
}
