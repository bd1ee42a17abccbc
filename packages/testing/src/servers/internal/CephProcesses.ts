/**
 * Runs Ceph's programs as processes of an unprivileged user.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { setTimeout } from "node:timers/promises"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Programs from "./CephPrograms.ts"

/** A program of Ceph failed, or a server did not become ready. */
export class CephError extends Data.TaggedError("CephError")<{ readonly message: string }> {}

const runAs = (directory: string) => ({
  cwd: directory,
  env: { PATH: process.env.PATH, LC_ALL: "C", HOME: directory, CEPH_CONF: `${directory}/ceph.conf` },
  ...Programs.user
})

/** Runs a program for at most 30 seconds. Returns what it prints. */
export const run = (
  directory: string,
  program: Programs.Program,
  args: ReadonlyArray<string>
): Effect.Effect<string, CephError> =>
  Effect.callback((resume) => {
    const child = execFile(program, args, { ...runAs(directory), timeout: 30_000 }, (error, stdout, stderr) => {
      if (error === null) return resume(Effect.succeed(stdout))
      const reason = error.killed === true ? "no answer within 30 seconds" : stderr
      return resume(Effect.fail(new CephError({ message: `${program} ${args.join(" ")}: ${reason}` })))
    })
    return Effect.sync(() => child.kill())
  })

const hasEnded = (server: ChildProcess): boolean => server.exitCode !== null || server.signalCode !== null

/** Starts a server. It is killed when this process ends. */
export const start = (
  directory: string,
  program: Programs.Program,
  args: ReadonlyArray<string>
): Effect.Effect<ChildProcess, CephError> =>
  Effect.callback((resume) => {
    const server = spawn(program, [...args, "-f"], { ...runAs(directory), stdio: "ignore" })
    const stop = () => server.kill("SIGKILL")
    process.once("exit", stop)
    server.once("exit", () => process.off("exit", stop))
    server.once("spawn", () => resume(Effect.succeed(server)))
    server.once("error", (error) => resume(Effect.fail(new CephError({ message: `${program}: ${error.message}` }))))
  })

/** Kills a server, as a crash would. Its data is temporary in any case. */
export const stop = (server: ChildProcess): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (hasEnded(server)) return resume(Effect.void)
    server.once("exit", () => resume(Effect.void))
    server.kill("SIGKILL")
  })

const pauseMilliseconds = 100
const attempts = 600

/**
 * Polls until a server is ready. Fails when the server has ended, or after one minute. It waits by the real clock: the
 * clock of a test may be stopped.
 */
export const untilReady = (
  server: ChildProcess,
  name: Programs.Program,
  isReady: Effect.Effect<boolean>
): Effect.Effect<void, CephError> =>
  Effect.gen(function* () {
    for (let attempt = 0; attempt < attempts; attempt++) {
      if (yield* isReady) return
      if (hasEnded(server)) return yield* new CephError({ message: `${name} ended with ${server.exitCode}` })
      yield* Effect.promise(() => setTimeout(pauseMilliseconds))
    }
    return yield* new CephError({ message: `${name} is not ready after a minute` })
  })
