/**
 * The part of one process of a service that several worker processes serve (`HOLDFAST_WORKERS`).
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type { Config } from "../config/Config.ts"

/** The service cannot run. The process that could not has printed why. */
export class WorkerProcessFailed extends Data.TaggedError("WorkerProcessFailed")<{
  /** The exit code of the process. */
  readonly code: number
}> {}

export interface WorkerProcess {
  /** From 1. A process that replaces another one gets its number. */
  readonly number: number
  /** How many worker processes the service has. */
  readonly count: number
  /** Whether it is the first process of the service: then no process of the service has a lease. */
  readonly isFirst: boolean
  /**
   * By how many milliseconds the time of the service is ahead of the machine's monotonic clock, when the process starts. The wall clock
   * may have been stepped since the other processes have started. Undefined if the processes have the time of a server.
   */
  readonly clockOffset: number | undefined
}

/** The part of this process; undefined for a service of one process. */
export const CurrentWorker = Context.Reference<WorkerProcess | undefined>(
  "@holdfast/http/server/workers/WorkerProcess",
  { defaultValue: () => undefined }
)

/** Whether a process does the work that one process of a service does: sweeps, conversions, mirrors, webhooks and periodic jobs. */
export const hasBackgroundWork = (worker: WorkerProcess | undefined): boolean =>
  worker === undefined || worker.number === 1

/** The environment variable by which a supervisor gives a process its part. */
const variable = "HOLDFAST_WORKER_PROCESS"

/** Returns the environment variables of a worker process. */
export const toEnvironment = ({
  clockOffset,
  count,
  isFirst,
  number
}: WorkerProcess): Readonly<Record<string, string>> => ({
  [variable]: `${number}/${count}${isFirst ? "/first" : ""}${clockOffset === undefined ? "" : `@${clockOffset}`}`
})

/** Returns the part that a supervisor has given to this process; undefined for a process without a supervisor. */
export const fromEnvironment = (
  environment: Readonly<Record<string, string | undefined>>
): WorkerProcess | undefined => {
  const [, number, count, first, offset] =
    /^(\d+)\/(\d+)(\/first)?(?:@(-?[\d.]+))?$/.exec(environment[variable] ?? "") ?? []
  return number === undefined
    ? undefined
    : {
        number: Number(number),
        count: Number(count),
        isFirst: first !== undefined,
        clockOffset: offset === undefined ? undefined : Number(offset)
      }
}

type Shared = Pick<Config, "databasePool" | "maxConnections" | "maxConnectionsPerAddress">

/** Returns the settings with the share of one process in what the service may have in all. The shares are equal, and rounded up. */
export const shareOf = <C extends Shared>(config: C, worker: WorkerProcess | undefined): C => {
  if (worker === undefined) return config
  const share = (total: number): number => Math.ceil(total / worker.count)
  return {
    ...config,
    databasePool: share(config.databasePool),
    maxConnections: share(config.maxConnections),
    maxConnectionsPerAddress: share(config.maxConnectionsPerAddress)
  }
}
