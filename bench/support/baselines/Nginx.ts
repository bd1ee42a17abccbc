/**
 * Serves files with nginx, in one process.
 */
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { connect } from "node:net"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as FreePort from "@holdfast/testing/servers/FreePort"
import type { ServerProcess } from "../processes/ServerProcess.ts"
import { attempt, BenchFailure } from "../run/BenchFailure.ts"

/** Debian installs it into a directory that is not in the `PATH` of every user. */
const program = "/usr/sbin/nginx"

export const isInstalled: boolean = existsSync(program)

const pollInterval = "10 millis"
const maxPolls = 1000

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => {
      socket.destroy()
      resolve(true)
    })
    socket.once("error", () => resolve(false))
  })

/** Starts nginx for the files of a directory, with its usual settings for static files: `sendfile`, and no log. */
export const start = (directory: string): Effect.Effect<ServerProcess, BenchFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const port = yield* Effect.mapError(FreePort.freePort, ({ message }) => new BenchFailure({ message }))
    const state = `${directory}-nginx`
    const configuration = join(state, "nginx.conf")
    yield* attempt("The configuration of nginx", async () => {
      await mkdir(state, { recursive: true })
      const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${name};`)
      const server = `server { listen 127.0.0.1:${port}; root ${directory}; }`
      const http = `http { access_log off; sendfile on; tcp_nopush on; ${temporary.join(" ")} ${server} }`
      const own = `daemon off; master_process off; pid nginx.pid; error_log stderr;`
      await writeFile(configuration, `${own} events { worker_connections 1024; } ${http}`)
    })
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(program, ["-p", state, "-e", "stderr", "-c", configuration], { stdio: "ignore" })),
      (started) => Effect.sync(() => void started.kill("SIGKILL"))
    )
    for (let poll = 0; poll < maxPolls && child.exitCode === null; poll++) {
      if (child.pid !== undefined && (yield* Effect.promise(() => isOpen(port)))) return { pid: child.pid, port }
      yield* Effect.sleep(pollInterval)
    }
    return yield* new BenchFailure({ message: "nginx did not start." })
  })
