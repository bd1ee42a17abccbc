/**
 * Child processes of a run. Each is stopped when its scope closes.
 */
import { type ChildProcess as NodeChildProcess, spawn } from "node:child_process"
import { closeSync, openSync, readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { BenchFailure } from "../run/BenchFailure.ts"

export interface ChildProcess {
  readonly process: NodeChildProcess
  readonly pid: number
  readonly hasExited: () => boolean
  /** Returns the last 4,000 characters of its output. */
  readonly output: () => string
}

export interface Options {
  readonly script: string
  readonly arguments: ReadonlyArray<string>
  /** Options of Node itself. */
  readonly nodeArguments?: ReadonlyArray<string>
  /** The file for its output, which is overwritten. */
  readonly log: string
  /** Added to the environment of this process. */
  readonly environment?: Readonly<Record<string, string>>
}

/** Milliseconds between SIGTERM and SIGKILL. */
const stopTimeout = 10_000

const stop = ({ hasExited, process }: ChildProcess): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (hasExited()) return resume(Effect.void)
    const kill = setTimeout(() => process.kill("SIGKILL"), stopTimeout)
    process.once("exit", () => {
      clearTimeout(kill)
      resume(Effect.void)
    })
    process.kill("SIGTERM")
  })

const start = (options: Options): ChildProcess => {
  const log = openSync(options.log, "w")
  try {
    const child = spawn(process.execPath, [...(options.nodeArguments ?? []), options.script, ...options.arguments], {
      stdio: ["ignore", log, log, "ipc"],
      env: { ...process.env, ...options.environment }
    })
    const { pid } = child
    if (pid === undefined) throw new Error(`${options.script} did not start.`)
    return {
      process: child,
      pid,
      hasExited: () => child.exitCode !== null || child.signalCode !== null,
      output: () => readFileSync(options.log, "utf8").slice(-4000)
    }
  } finally {
    closeSync(log)
  }
}

/** Runs a script in a Node process of its own until the scope closes. */
export const spawnNode = (options: Options): Effect.Effect<ChildProcess, BenchFailure, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({ try: () => start(options), catch: (cause) => new BenchFailure({ message: String(cause), cause }) }),
    stop
  )

/** Waits for the next message of a child. Fails when the child exits first. */
export const nextMessage = (child: ChildProcess): Effect.Effect<unknown, BenchFailure> =>
  Effect.callback<unknown, BenchFailure>((resume) => {
    const onExit = () => resume(Effect.fail(new BenchFailure({ message: `A process exited early. ${child.output()}` })))
    if (child.hasExited()) return onExit()
    const onMessage = (message: unknown) => {
      child.process.off("exit", onExit)
      resume(Effect.succeed(message))
    }
    child.process.once("exit", onExit)
    child.process.once("message", onMessage)
    return Effect.sync(() => {
      child.process.off("exit", onExit)
      child.process.off("message", onMessage)
    })
  })
