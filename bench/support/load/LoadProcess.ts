/**
 * Starts the load generator, in a process of its own so that its processor time does not count as the server's.
 */
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as ChildProcess from "../processes/ChildProcess.ts"
import * as Jobs from "../processes/Jobs.ts"
import * as Priority from "../processes/Priority.ts"
import type { BenchFailure } from "../run/BenchFailure.ts"
import { type LoadJob, type LoadResult, protocol } from "./LoadJob.ts"

/** Runs one job. Fails when a response is not the expected one, or when the job takes longer than ten minutes. */
export type RunLoad = (job: LoadJob) => Effect.Effect<LoadResult, BenchFailure>

export interface Options {
  /** The file for its output. */
  readonly log: string
  /** Whether it has the lowest priority, so that a server on the same machine goes first. */
  readonly isLow?: boolean
}

/** Starts a load generator, which runs one job at a time. */
export const start = ({ isLow = false, log }: Options): Effect.Effect<RunLoad, BenchFailure, Scope.Scope> => {
  const script = fileURLToPath(new URL("LoadGenerator.ts", import.meta.url))
  return Effect.map(ChildProcess.spawnNode({ script, arguments: [], log }), (child) => {
    if (isLow) Priority.lower(child.pid)
    return Jobs.makeSend(protocol, child)
  })
}
