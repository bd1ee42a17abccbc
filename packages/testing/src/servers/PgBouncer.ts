/**
 * A PgBouncer in transaction mode for tests: it gives each transaction any of its connections to the server.
 */
import { spawn } from "node:child_process"
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { command } from "../Requires.ts"
import { freePort } from "./FreePort.ts"
import * as SystemUser from "./internal/SystemUser.ts"
import { ServerError } from "./PostgresCluster.ts"

/** Debian installs it into a directory that is not in the `PATH` of every user. */
const program = existsSync("/usr/sbin/pgbouncer") ? "/usr/sbin/pgbouncer" : "pgbouncer"

/** The reason why this machine cannot run PgBouncer; undefined when it can. */
export const missing: string | undefined = command(program, "--version")

/** PgBouncer refuses to run as root. */
const user = SystemUser.isRoot ? (SystemUser.find("postgres") ?? SystemUser.findUnprivileged()) : undefined

const quote = (value: string): string => `'${value.replaceAll("'", "''")}'`

/** Starts a PgBouncer with `poolSize` connections to a database until the scope closes. Returns the URL for its clients. */
export const start = Effect.fnUntraced(function* (
  database: Redacted.Redacted,
  poolSize: number
): Effect.fn.Return<Redacted.Redacted, ServerError, Scope.Scope> {
  const url = new URL(Redacted.value(database))
  const name = url.pathname.slice(1)
  const password = decodeURIComponent(url.password)
  const port = yield* Effect.mapError(freePort, ({ message }) => new ServerError({ message }))
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "holdfast-bouncer-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const file = join(directory, "pgbouncer.ini")
  yield* Effect.sync(() => {
    const target = `host=127.0.0.1 port=${url.port} dbname=${name} user=${url.username} password=${quote(password)}`
    const users = join(directory, "users")
    writeFileSync(users, `"${url.username}" ""\n`)
    writeFileSync(
      file,
      [
        "[databases]",
        `${name} = ${target}`,
        "[pgbouncer]",
        "listen_addr = 127.0.0.1",
        `listen_port = ${port}`,
        "unix_socket_dir =",
        "auth_type = trust",
        `auth_file = ${users}`,
        "pool_mode = transaction",
        `default_pool_size = ${poolSize}`,
        "max_client_conn = 100",
        ""
      ].join("\n")
    )
    if (user === undefined) return
    for (const path of [directory, users, file]) chownSync(path, user.uid, user.gid)
  })
  yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof spawn>, ServerError>((resume) => {
      const child = spawn(program, [file], { ...user, stdio: ["ignore", "ignore", "pipe"] })
      let log = ""
      child.once("error", (error) => resume(Effect.fail(new ServerError({ message: error.message }))))
      child.once("exit", (code) => {
        resume(Effect.fail(new ServerError({ message: `pgbouncer ended with ${code}: ${log}` })))
      })
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        log = (log + text).slice(-4096)
        if (log.includes("process up")) resume(Effect.succeed(child))
      })
    }),
    (child) =>
      Effect.callback<void>((resume) => {
        if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
        child.once("exit", () => resume(Effect.void))
        child.kill("SIGKILL")
      })
  )
  return Redacted.make(`postgres://${url.username}@127.0.0.1:${port}/${name}`, { label: "PostgresUrl" })
})
