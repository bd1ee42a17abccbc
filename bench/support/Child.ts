/**
 * Processes of this run. Each ends with its scope, whatever happens.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { closeSync, openSync, readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { BenchFailure } from "./BenchFailure.ts"

export interface Child {
  readonly process: ChildProcess
  readonly pid: number
  readonly hasExited: () => boolean
  /** What it has written so far; the end of it, where it is much. */
  readonly said: () => string
}

export interface Options {
  readonly script: string
  readonly arguments: ReadonlyArray<string>
  /** For Node itself. */
  readonly nodeArguments?: ReadonlyArray<string>
  /** Where its output goes; what was there before is lost. */
  readonly log: string
  /** Added to this process's own. */
  readonly environment?: Readonly<Record<string, string>>
}

/** Milliseconds that a process may take to stop by itself. */
const patience = 10_000

const stop = ({ hasExited, process }: Child): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (hasExited()) return resume(Effect.void)
    const force = setTimeout(() => process.kill("SIGKILL"), patience)
    process.once("exit", () => {
      clearTimeout(force)
      resume(Effect.void)
    })
    process.kill("SIGTERM")
  })

const start = (options: Options): Child => {
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
      said: () => readFileSync(options.log, "utf8").slice(-4000)
    }
  } finally {
    closeSync(log)
  }
}

/** Runs a script in a Node of its own. */
export const spawnNode = (options: Options): Effect.Effect<Child, BenchFailure, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({ try: () => start(options), catch: (cause) => new BenchFailure({ message: String(cause), cause }) }),
    stop
  )

/** What a child sends next. Fails when it ends instead. */
export const nextMessage = (child: Child): Effect.Effect<unknown, BenchFailure> =>
  Effect.callback<unknown, BenchFailure>((resume) => {
    const ended = () => resume(Effect.fail(new BenchFailure({ message: `A process ended early. ${child.said()}` })))
    if (child.hasExited()) return ended()
    const received = (message: unknown) => {
      child.process.off("exit", ended)
      resume(Effect.succeed(message))
    }
    child.process.once("exit", ended)
    child.process.once("message", received)
    return Effect.sync(() => {
      child.process.off("exit", ended)
      child.process.off("message", received)
    })
  })
