/**
 * Runs the programs of `test/programs` as child processes.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as ChildProcess from "node:child_process"
import * as Path from "node:path"

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Program {
  readonly pid: number
  /** Waits for an output line with this prefix and returns it. Dies when the program ends without one. */
  readonly line: (prefix: string) => Effect.Effect<string>
  /** Waits until the process has ended and its output is closed, also by children that inherited it. */
  readonly ended: Effect.Effect<Ended>
  /** Waits until the process has ended. */
  readonly exited: Effect.Effect<void>
  readonly kill: (signal: NodeJS.Signals) => Effect.Effect<void>
}

export interface Options {
  /** The command that runs the program, such as strace with its options. */
  readonly under?: ReadonlyArray<string>
  readonly environment?: Readonly<Record<string, string>>
}

/** Starts a program by its file name. Kills it when the scope closes. */
export const start = (
  name: string,
  args: ReadonlyArray<string>,
  options: Options = {}
): Effect.Effect<Program, never, Scope.Scope> =>
  Effect.gen(function* () {
    const file = Path.join(import.meta.dirname, "..", "programs", name)
    const [command = process.execPath, ...rest] = [...(options.under ?? []), process.execPath, file, ...args]
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        ChildProcess.spawn(command, rest, { env: { ...process.env, ...options.environment }, detached: true })
      ),
      (spawned) =>
        Effect.callback<void>((resume) => {
          if (spawned.exitCode !== null || spawned.signalCode !== null) return resume(Effect.void)
          spawned.once("exit", () => resume(Effect.void))
          // Kills the process group, because a killed strace does not kill the program that it runs.
          if (spawned.pid !== undefined) process.kill(-spawned.pid, "SIGKILL")
        })
    )
    let stdout = ""
    let stderr = ""
    let end: Ended | undefined
    const watchers = new Set<() => void>()
    let exited = false
    const changed = () => watchers.forEach((watcher) => watcher())
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text
      changed()
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text
    })
    child.once("exit", () => {
      exited = true
      changed()
    })
    child.once("close", (code, signal) => {
      end = { code, signal, stdout, stderr }
      changed()
    })

    /** Waits until `find` returns a value. */
    const until = <A>(find: () => A | undefined) =>
      Effect.callback<A>((resume) => {
        const watcher = () => {
          const found = find()
          if (found === undefined) return
          watchers.delete(watcher)
          resume(Effect.succeed(found))
        }
        watchers.add(watcher)
        watcher()
        return Effect.sync(() => watchers.delete(watcher))
      })

    const ended = until(() => end)
    return {
      pid: child.pid ?? 0,
      ended,
      exited: Effect.asVoid(until(() => (exited ? true : undefined))),
      kill: (signal) => Effect.sync(() => void child.kill(signal)),
      line: (prefix) =>
        until(() => {
          const line = stdout
            .split("\n")
            .slice(0, -1)
            .find((text) => text.startsWith(prefix))
          if (line !== undefined) return Effect.succeed(line)
          return end && Effect.die(new Error(`the program ended without "${prefix}": ${end.stdout}${end.stderr}`))
        }).pipe(Effect.flatten)
    }
  })
