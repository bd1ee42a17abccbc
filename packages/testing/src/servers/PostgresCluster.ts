/**
 * A PostgreSQL cluster in a temporary directory, and the process of its server.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as SharedFiles from "../SharedFiles.ts"
import { freePort } from "./FreePort.ts"
import * as Programs from "./internal/PostgresPrograms.ts"

/** A program of PostgreSQL failed, or the server did not start. */
export class ServerError extends Data.TaggedError("ServerError")<{ readonly message: string }> {}

/** The location of a cluster. */
export interface Cluster {
  readonly data: string
  readonly sockets: string
  readonly port: number
}

/** The role that owns the cluster. */
export const superuser = "holdfast"

/** The environment and the user of a server. */
interface RunAs {
  readonly env: NodeJS.ProcessEnv
  readonly uid?: number
  readonly gid?: number
}

const runAs: RunAs = { env: { ...process.env, LC_ALL: "C" }, ...Programs.user }

/** Runs a program as the server's user, and waits until it ends. */
const execute = (program: string, args: ReadonlyArray<string>): Effect.Effect<void, ServerError> =>
  Effect.callback((resume) => {
    execFile(program, args, runAs, (error, _stdout, stderr) => {
      resume(error === null ? Effect.void : Effect.fail(new ServerError({ message: `${program}: ${stderr}` })))
    })
  })

/** Runs one of PostgreSQL's programs, and waits until it ends. */
export const run = (
  program: Parameters<typeof Programs.program>[0],
  args: ReadonlyArray<string>
): Effect.Effect<void, ServerError> => execute(Programs.program(program), args)

/** A directory that the server's user owns, removed with the scope. */
const temporaryDirectory: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    const path = mkdtempSync(join(tmpdir(), "holdfast-pg-"))
    if (Programs.user !== undefined) chownSync(path, Programs.user.uid, Programs.user.gid)
    return path
  }),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

export interface Options {
  readonly password: string
  /** Where the cluster is kept; a temporary directory when undefined. The server's user must have access to its parents. */
  readonly directory: string | undefined
}

const initialise = (root: string, data: string, collation: Programs.Collation, password: string) => {
  const passwords = join(root, "password")
  return Effect.andThen(
    Effect.sync(() => writeFileSync(passwords, `${password}\n`, { mode: 0o644 })),
    run("initdb", [
      `--pgdata=${data}`,
      `--username=${superuser}`,
      `--pwfile=${passwords}`,
      "--auth-local=trust",
      "--auth-host=scram-sha-256",
      "--encoding=UTF8",
      "--no-sync",
      ...collation.arguments
    ])
  )
}

/**
 * Copies a new cluster: initdb takes more than a second of processor time, and a copy a tenth of that. The clusters of one run have
 * the same system identifier and password.
 */
const copyNew = (data: string, collation: Programs.Collation, password: string) =>
  Effect.tryPromise({
    try: () =>
      SharedFiles.directory(`postgres-${collation.name}`, async (directory) => {
        if (Programs.user !== undefined) chownSync(directory, Programs.user.uid, Programs.user.gid)
        // The parent of a cluster, which only its owner may read.
        chmodSync(directory, 0o755)
        await Effect.runPromise(initialise(directory, join(directory, "data"), collation, password))
      }),
    catch: (error) => new ServerError({ message: String(error) })
  }).pipe(Effect.flatMap((directory) => execute("cp", ["-R", "-p", join(directory, "data"), data])))

/** Makes a cluster, unless its directory has one. Connections over Unix sockets need no password, connections over TCP do. */
export const make = Effect.fnUntraced(function* (
  collation: Programs.Collation,
  { directory, password }: Options
): Effect.fn.Return<Cluster, ServerError, Scope.Scope> {
  const root = yield* temporaryDirectory
  const kept = directory === undefined ? undefined : join(directory, "data")
  const data = kept ?? join(root, "data")
  if (directory !== undefined && Programs.user !== undefined) {
    const { gid, uid } = Programs.user
    yield* Effect.sync(() => chownSync(directory, uid, gid))
  }
  if (kept === undefined || !existsSync(kept)) yield* copyNew(data, collation, password)
  return { data, sockets: root, port: yield* Effect.mapError(freePort, ({ message }) => new ServerError({ message })) }
})

/** Makes a cluster from a copy of the cluster of a running server, whose changes it follows once it is started. */
export const makeStandby = Effect.fnUntraced(function* (
  primary: Cluster
): Effect.fn.Return<Cluster, ServerError, Scope.Scope> {
  const root = yield* temporaryDirectory
  const data = join(root, "data")
  const from = ["-h", primary.sockets, "-p", String(primary.port), "-U", superuser]
  yield* run("pg_basebackup", [...from, "-D", data, "-R", "-X", "stream", "-c", "fast", "--no-sync"])
  return { data, sockets: root, port: yield* Effect.mapError(freePort, ({ message }) => new ServerError({ message })) }
})

/** Makes the server of a standby accept changes, and waits until it does. */
export const promote = ({ data }: Cluster): Effect.Effect<void, ServerError> =>
  run("pg_ctl", ["promote", "-D", data, "-w"])

/** Sends a signal to a process that may have ended. */
const kill = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error
  }
}

/** Sends a signal to a server and to the processes of its connections. */
export const signal = ({ pid = 0 }: ChildProcess, name: "SIGSTOP" | "SIGCONT"): Effect.Effect<void> =>
  Effect.sync(() => {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number)
    for (const one of [pid, ...children]) kill(one, name)
  })

/**
 * Starts the server of a cluster with these settings, in the syntax of `postgresql.conf`. Waits until it accepts
 * connections.
 */
export const start = (
  { data, port, sockets }: Cluster,
  settings: ReadonlyArray<string>
): Effect.Effect<ChildProcess, ServerError> =>
  Effect.callback((resume) => {
    const options = ["lc_messages=C", "listen_addresses=127.0.0.1", `unix_socket_directories=${sockets}`, ...settings]
    const args = ["-D", data, "-p", String(port), ...options.flatMap((option) => ["-c", option])]
    const server = spawn(Programs.program("postgres"), args, { ...runAs, stdio: ["ignore", "ignore", "pipe"] })
    const stop = () => server.kill("SIGQUIT")
    let log = ""
    process.once("exit", stop)
    server.once("exit", (code) => {
      process.off("exit", stop)
      resume(Effect.fail(new ServerError({ message: `postgres ended with ${code}: ${log}` })))
    })
    server.once("error", (error) => resume(Effect.fail(new ServerError({ message: error.message }))))
    server.stderr.setEncoding("utf8").on("data", (text: string) => {
      log = (log + text).slice(-4096)
      if (/ready to accept (?:read-only )?connections/.test(log)) resume(Effect.succeed(server))
    })
    return Effect.sync(stop)
  })

/** Stops a server: SIGINT closes connections and shuts down cleanly, SIGQUIT stops as a crash would. */
export const stop = (server: ChildProcess, signal: "SIGINT" | "SIGQUIT"): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (server.exitCode !== null || server.signalCode !== null) return resume(Effect.void)
    server.once("exit", () => resume(Effect.void))
    server.kill(signal)
  })
