/**
 * Reads the processor time of processes from Linux: user and system time of all threads, in seconds. Unlike wall time it
 * hardly depends on other work of the machine.
 */
import { readFile } from "node:fs/promises"
import type * as Effect from "effect/Effect"
import { attempt, type BenchFailure } from "../run/BenchFailure.ts"

/** The unit of times in /proc: USER_HZ, which is 100 for programs on all Linux systems. */
const ticksPerSecond = 100

interface Stat {
  readonly parent: number
  /** Of the process itself, in seconds. */
  readonly own: number
  /** Of its children that have exited, in seconds. */
  readonly exitedChildren: number
}

/** Parses /proc/PID/stat or the same of a thread, see proc(5). The name in parentheses may contain spaces and parentheses itself. */
const readStat = async (pid: number, path = `/proc/${pid}/stat`): Promise<Stat> => {
  const text = await readFile(path, "utf8")
  const fields = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number)
  const [, parent = 0] = fields
  const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11)
  return {
    parent,
    own: (user + system) / ticksPerSecond,
    exitedChildren: (childrenUser + childrenSystem) / ticksPerSecond
  }
}

const step = "Reading processor times from /proc, which only Linux has"

/** Returns the processor time of one process. */
export const ofProcess = (pid: number): Effect.Effect<number, BenchFailure> =>
  attempt(step, async () => (await readStat(pid)).own)

/**
 * Returns the processor time of a process and its children, including children that have exited: PostgreSQL has one
 * process for each connection.
 */
export const ofFamily = (pid: number): Effect.Effect<number, BenchFailure> =>
  attempt(step, async () => {
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")
    const pids = children.split(" ").filter(Boolean).map(Number)
    const parent = await readStat(pid)
    // A child that exits meanwhile is included in its parent's time at the next reading.
    const own = await Promise.all(
      pids.map((child) =>
        readStat(child).then(
          ({ own }) => own,
          () => 0
        )
      )
    )
    return own.reduce((sum, time) => sum + time, parent.own + parent.exitedChildren)
  })

/** Processor times of one process. */
export interface ProcessTimes {
  readonly allThreads: number
  readonly mainThread: number
}

/** Returns the processor times of a process and of each of its running children. */
export const ofEach = (pid: number): Effect.Effect<ReadonlyArray<ProcessTimes>, BenchFailure> =>
  attempt(step, async () => {
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")
    const pids = [pid, ...children.split(" ").filter(Boolean).map(Number)]
    return Promise.all(
      pids.map(async (one) => ({
        allThreads: (await readStat(one)).own,
        mainThread: (await readStat(one, `/proc/${one}/task/${one}/stat`)).own
      }))
    )
  })

/** Returns the processor time of all descendants of a process that have exited. */
export const ofExitedChildren = (pid: number): Effect.Effect<number, BenchFailure> =>
  attempt(step, async () => (await readStat(pid)).exitedChildren)

/** Returns the id of the process that started another. */
export const parentOf = (pid: number): Effect.Effect<number, BenchFailure> =>
  attempt(step, async () => (await readStat(pid)).parent)
