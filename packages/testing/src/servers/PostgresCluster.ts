/**
 * One cluster of PostgreSQL in a temporary directory, with the server process over it.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { freePort } from "./FreePort.ts"
import * as Programs from "./PostgresPrograms.ts"

/** A server for tests does not do what it should. */
export class ServerError extends Data.TaggedError("ServerError")<{ readonly message: string }> {}

/** Where a cluster is. */
export interface Cluster {
  readonly data: string
  readonly sockets: string
  readonly port: number
}

export const superuser = "holdfast"

/** How a server is run. */
interface RunAs {
  readonly env: NodeJS.ProcessEnv
  readonly uid?: number
  readonly gid?: number
}

const runAs: RunAs = { env: { ...process.env, LC_ALL: "C" }, ...Programs.user }

/** Runs one of PostgreSQL's programs to its end. */
export const run = (
  program: Parameters<typeof Programs.program>[0],
  args: ReadonlyArray<string>
): Effect.Effect<void, ServerError> =>
  Effect.callback((resume) => {
    execFile(Programs.program(program), args, runAs, (error, _stdout, stderr) => {
      resume(error === null ? Effect.void : Effect.fail(new ServerError({ message: `${program}: ${stderr}` })))
    })
  })

/** A directory for a server's user, removed with the scope. */
const directory: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    const path = mkdtempSync(join(tmpdir(), "holdfast-pg-"))
    if (Programs.user !== undefined) chownSync(path, Programs.user.uid, Programs.user.gid)
    return path
  }),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Makes a cluster: sockets are open to all, TCP asks for a password. */
export const make = Effect.fnUntraced(function* (
  collation: Programs.Collation,
  password: string
): Effect.fn.Return<Cluster, ServerError, Scope.Scope> {
  const root = yield* directory
  const passwords = join(root, "password")
  yield* Effect.sync(() => writeFileSync(passwords, `${password}\n`, { mode: 0o644 }))
  const data = join(root, "data")
  yield* run("initdb", [
    `--pgdata=${data}`,
    `--username=${superuser}`,
    `--pwfile=${passwords}`,
    "--auth-local=trust",
    "--auth-host=scram-sha-256",
    "--encoding=UTF8",
    "--no-sync",
    ...collation.arguments
  ])
  return { data, sockets: root, port: yield* Effect.mapError(freePort, ({ message }) => new ServerError({ message })) }
})

/** Starts the server of a cluster, with settings of `postgresql.conf`; succeeds when it accepts connections. */
export const start = (
  { data, port, sockets }: Cluster,
  settings: ReadonlyArray<string>
): Effect.Effect<ChildProcess, ServerError> =>
  Effect.callback((resume) => {
    const options = ["lc_messages=C", "listen_addresses=127.0.0.1", `unix_socket_directories=${sockets}`, ...settings]
    const args = ["-D", data, "-p", String(port), ...options.flatMap((option) => ["-c", option])]
    const server = spawn(Programs.program("postgres"), args, { ...runAs, stdio: ["ignore", "ignore", "pipe"] })
    const stop = () => server.kill("SIGQUIT")
    let told = ""
    process.once("exit", stop)
    server.once("exit", (code) => {
      process.off("exit", stop)
      resume(Effect.fail(new ServerError({ message: `postgres ended with ${code}: ${told}` })))
    })
    server.once("error", (error) => resume(Effect.fail(new ServerError({ message: error.message }))))
    server.stderr.setEncoding("utf8").on("data", (text: string) => {
      told = (told + text).slice(-4096)
      if (told.includes("ready to accept connections")) resume(Effect.succeed(server))
    })
    return Effect.sync(stop)
  })

/** Ends a server: in an orderly way that cuts connections off, or at once as a crash would. */
export const stop = (server: ChildProcess, signal: "SIGINT" | "SIGQUIT"): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (server.exitCode !== null || server.signalCode !== null) return resume(Effect.void)
    server.once("exit", () => resume(Effect.void))
    server.kill(signal)
  })
