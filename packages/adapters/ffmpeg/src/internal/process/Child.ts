/**
 * Runs one of FFmpeg's programs as a child process.
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
import * as Confinement from "./Confinement.ts"
import type { Exit } from "./ExitError.ts"

export interface Command {
  /** The method of the port, for errors. */
  readonly operation: string
  readonly confinement: Confinement.Confinement
  readonly niceness: number
  readonly limits: Limits.Limits
  /** Absolute path. */
  readonly program: string
  readonly arguments: ReadonlyArray<string>
  /** The working directory, in which the program may write. */
  readonly directory: string
  /** Paths that the program may read. The first one is its input. */
  readonly readable: ReadonlyArray<string>
}

export interface Child {
  readonly stdout: Stream.Stream<string, TranscodeError.TranscodeError>
  /** Waits for the program's exit. */
  readonly exit: Effect.Effect<Exit>
  /** Stops the program and its children until `continue`. Does nothing if it has exited, or if its guard would be stopped, too. */
  readonly stop: Effect.Effect<void>
  readonly continue: Effect.Effect<void>
  /** Kills the program and its children, and waits for their exit. */
  readonly kill: Effect.Effect<void>
}

/** Characters of standard error that are kept, both of its beginning and of its end. */
const keptCharacters = 4096

/** The only variables that a program inherits. It gets no proxy settings, no secrets and none of FFmpeg's own variables. */
const inherited = ["PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"]

const environment = (): Record<string, string | undefined> => ({
  ...Object.fromEntries(inherited.map((name) => [name, process.env[name]])),
  LC_ALL: "C",
  AV_LOG_FORCE_NOCOLOR: "1"
})

const signalNames = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]))

/** Reads an exit code. */
const fromCode = (confinement: Confinement.Confinement) => (code: number) => ({
  code,
  signal: Confinement.hidesSignal(confinement) ? signalNames.get(code - 128) : undefined
})

/** Reads the spawner's error, whose message contains the name of the signal. */
const fromError = (error: PlatformError.PlatformError) => ({
  code: -1,
  signal: /'(SIG\w+)'/.exec(String(error.reason.cause))?.[1] ?? "SIGKILL"
})

/** Starts a program, which is killed when the scope closes. `Unavailable` if it cannot be started. */
export const spawn = Effect.fnUntraced(function* ({
  confinement,
  directory,
  operation,
  readable,
  ...confined
}: Command): Effect.fn.Return<Child, TranscodeError.TranscodeError, ChildProcessSpawner | Scope.Scope> {
  const fail = (reason: TranscodeError.Reason) => (cause: unknown) =>
    new TranscodeError.TranscodeError({ operation, reason, cause })
  const guarded = Confinement.wrap(confinement, { ...confined, directory, readable, input: readable[0] })
  const handle = yield* Effect.mapError(
    ChildProcess.make(guarded.command, guarded.arguments, {
      cwd: directory,
      env: environment(),
      stdin: guarded.stdin,
      killSignal: "SIGKILL"
    }),
    // The spawner first checks the directory, with an error of another module.
    (error) => fail(error.reason.module === "ChildProcess" ? "Unavailable" : "Internal")(error)
  )
  let first = ""
  let last = ""
  const readingStderr = yield* handle.stderr.pipe(
    Stream.decodeText,
    Stream.runForEach((text) =>
      Effect.sync(() => {
        const missing = keptCharacters - first.length
        first += text.slice(0, missing)
        last = (last + text.slice(missing)).slice(-keptCharacters)
      })
    ),
    Effect.ignore,
    Effect.forkScoped
  )
  const exit = Effect.match(handle.exitCode, { onFailure: fromError, onSuccess: fromCode(confinement) }).pipe(
    Effect.tap(() => Fiber.await(readingStderr)),
    Effect.map(({ code, signal }) => ({ code, signal, stderr: first + last }))
  )
  // The program is the leader of a process group. A watchdog belongs to the group and must not stop.
  const signal = (name: "SIGSTOP" | "SIGCONT") =>
    Effect.flatMap(
      Effect.orElseSucceed(handle.isRunning, () => false),
      (isRunning) =>
        isRunning && confinement.guard === "signal"
          ? Effect.ignore(Effect.try(() => process.kill(-handle.pid, name)))
          : Effect.void
    )
  return {
    stop: signal("SIGSTOP"),
    continue: signal("SIGCONT"),
    stdout: Stream.mapError(Stream.decodeText(handle.stdout), fail("Internal")),
    exit,
    kill: Effect.ignore(handle.kill({ killSignal: "SIGKILL" }))
  }
})
