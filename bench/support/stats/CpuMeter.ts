/**
 * Processor time of processes, as Linux counts it: user and system, of all threads, in seconds. Unlike wall time it
 * hardly depends on what else the machine does.
 */
import { readFile } from "node:fs/promises"
import type * as Effect from "effect/Effect"
import { attempt, type BenchFailure } from "../BenchFailure.ts"

/** The unit of times in /proc: USER_HZ, which is 100 for programs on every Linux. */
const ticksPerSecond = 100

interface Stat {
  readonly parent: number
  /** Of the process itself, and of children that have ended. */
  readonly own: number
  readonly ended: number
}

/** See proc(5). The name stands in parentheses and may hold anything; the fields after it are counted from there. */
const stat = async (pid: number): Promise<Stat> => {
  const text = await readFile(`/proc/${pid}/stat`, "utf8")
  const fields = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number)
  const [, parent = 0] = fields
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11)
  return { parent, own: (user + system) / ticksPerSecond, ended: (endedUser + endedSystem) / ticksPerSecond }
}

const step = "Processor times are read from /proc, which only Linux has"

/** Of one process. */
export const ofProcess = (pid: number): Effect.Effect<number, BenchFailure> =>
  attempt(step, async () => (await stat(pid)).own)

/** Of a process and its children, also those that have ended: PostgreSQL has one for each connection. */
export const ofFamily = (pid: number): Effect.Effect<number, BenchFailure> =>
  attempt(step, async () => {
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")
    const pids = children.split(" ").filter(Boolean).map(Number)
    const parent = await stat(pid)
    // One that ends meanwhile is counted by its parent the next time.
    const own = await Promise.all(
      pids.map((child) =>
        stat(child).then(
          ({ own }) => own,
          () => 0
        )
      )
    )
    return own.reduce((sum, time) => sum + time, parent.own + parent.ended)
  })

/** Of a process's children that have ended, theirs included. */
export const ofEnded = (pid: number): Effect.Effect<number, BenchFailure> =>
  attempt(step, async () => (await stat(pid)).ended)

/** The process that started another. */
export const parentOf = (pid: number): Effect.Effect<number, BenchFailure> =>
  attempt(step, async () => (await stat(pid)).parent)
