/**
 * One of FFmpeg's programs as a child process.
 */
import type * as Limits from "@holdfast/core/transcoding/Limits"
import * as TranscodeError from "@holdfast/core/transcoding/TranscodeError"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as PlatformError from "effect/PlatformError"
import * as ChildProcess from "effect/process/ChildProcess"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { constants } from "node:os"
import * as Guard from "./Guard.ts"
import type { Ending } from "./ExitError.ts"

export interface Command {
  /** The port's method that runs it. */
  readonly operation: string
  readonly guard: Guard.Guard
  readonly niceness: number
  readonly limits: Limits.Limits
  readonly program: string
  readonly arguments: ReadonlyArray<string>
  /** Where it runs. */
  readonly directory: string
}

export interface Child {
  /** Standard output, as text. */
  readonly text: Stream.Stream<string, TranscodeError.TranscodeError>
  /** How it ended, when it has. */
  readonly ended: Effect.Effect<Ending>
  /** Kills it and what it started, and waits until they are gone. */
  readonly kill: Effect.Effect<void>
}

/** Characters that are kept of what it says, of the beginning and of the end. */
const kept = 4096

/** What a program has to know of this process's environment; proxies, secrets and FFmpeg's own variables stay here. */
const inherited = ["PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"]

const environment = (): Record<string, string | undefined> => ({
  ...Object.fromEntries(inherited.map((name) => [name, process.env[name]])),
  LC_ALL: "C",
  AV_LOG_FORCE_NOCOLOR: "1"
})

const signalNames = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]))

/** The shell of a watchdog reports its child's signal as 128 and its number. */
const fromCode = (guard: Guard.Guard) => (code: number) => ({
  code,
  signal: guard === "watchdog" ? signalNames.get(code - 128) : undefined
})

/** The spawner tells the signal in words. */
const fromError = (error: PlatformError.PlatformError) => ({
  code: -1,
  signal: /'(SIG\w+)'/.exec(String(error.reason.cause))?.[1] ?? "SIGKILL"
})

/** Starts a program; it lives no longer than the scope. `Unavailable` when it cannot be started. */
export const spawn = ({
  arguments: args,
  directory,
  guard,
  limits,
  niceness,
  operation,
  program
}: Command): Effect.Effect<Child, TranscodeError.TranscodeError, ChildProcessSpawner | Scope.Scope> =>
  Effect.gen(function* () {
    const fail = (reason: TranscodeError.Reason) => (cause: unknown) =>
      new TranscodeError.TranscodeError({ operation, reason, cause })
    const guarded = Guard.wrap(guard, limits, niceness, program, args)
    const handle = yield* Effect.mapError(
      ChildProcess.make(guarded.command, guarded.arguments, {
        cwd: directory,
        env: environment(),
        stdin: guarded.stdin,
        killSignal: "SIGKILL"
      }),
      // Before it starts anything the spawner looks for the directory.
      (error) => fail(error.reason.module === "ChildProcess" ? "Unavailable" : "Internal")(error)
    )
    let first = ""
    let last = ""
    const listening = yield* handle.stderr.pipe(
      Stream.decodeText,
      Stream.runForEach((text) =>
        Effect.sync(() => {
          const room = kept - first.length
          first += text.slice(0, room)
          last = (last + text.slice(room)).slice(-kept)
        })
      ),
      Effect.ignore,
      Effect.forkScoped
    )
    const ended = Effect.match(handle.exitCode, { onFailure: fromError, onSuccess: fromCode(guard) }).pipe(
      Effect.tap(() => Fiber.await(listening)),
      Effect.map(({ code, signal }) => ({ code, signal, words: first + last }))
    )
    return {
      text: Stream.mapError(Stream.decodeText(handle.stdout), fail("Internal")),
      ended,
      kill: Effect.ignore(handle.kill({ killSignal: "SIGKILL" }))
    }
  })
