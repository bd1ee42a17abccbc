/**
 * A PostgreSQL server for tests, with a temporary cluster. PostgreSQL refuses to run as root: then it runs as the user
 * `postgres`, or as the unprivileged user that every Unix system has.
 */
import type { ChildProcess } from "node:child_process"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Cluster from "./PostgresCluster.ts"
import * as Programs from "./internal/PostgresPrograms.ts"

export interface Options {
  /** The default order of text in databases. */
  readonly locale: "C.UTF-8" | "en_US.UTF-8"
  /** Whether commits survive a crash of the machine. Default: false, which is faster. */
  readonly isDurable?: boolean | undefined
  /** Further settings of the server, in the syntax of `postgresql.conf`. */
  readonly settings?: ReadonlyArray<string> | undefined
  /** Where the cluster is kept, so that a later server has its databases; removed with the server when absent. */
  readonly directory?: string | undefined
}

/** A running standby, which accepts no changes until it is promoted. */
export interface Standby {
  /** The port of the loopback interface. Its databases and passwords are those of the primary. */
  readonly port: number
  /** Makes it accept changes. */
  readonly promote: Effect.Effect<void, Cluster.ServerError>
}

/** A running server. */
export class Postgres extends Context.Service<
  Postgres,
  {
    /** The order of text: `C.UTF-8`, `en_US.UTF-8`, or `en-US of ICU` where the machine lacks the locale. */
    readonly collation: string
    /** Makes an empty database. Returns its URL, for TCP with a password. */
    readonly createDatabase: Effect.Effect<Redacted.Redacted, Cluster.ServerError>
    /** Makes a copy of the database with this name, to which no client may be connected. Returns its URL. */
    readonly copyDatabase: (name: string) => Effect.Effect<Redacted.Redacted, Cluster.ServerError>
    /** Gives a database, to which no client may be connected, a name for `copyDatabase`. */
    readonly keepDatabase: (url: Redacted.Redacted, name: string) => Effect.Effect<void, Cluster.ServerError>
    /**
     * Stops the server: `fast` closes connections and shuts down cleanly (default), `immediate` stops as a crash would.
     */
    readonly stop: (mode?: "fast" | "immediate") => Effect.Effect<void>
    /** Starts the server again, on the same port. Does nothing while it runs. */
    readonly start: Effect.Effect<void, Cluster.ServerError>
    /** Starts a standby that follows this server, until the scope closes. */
    readonly startStandby: Effect.Effect<Standby, Cluster.ServerError, Scope.Scope>
    /** Suspends all processes of the server (SIGSTOP): connections stay open, and nothing answers. */
    readonly suspend: Effect.Effect<void>
    /** Ends `suspend`. */
    readonly resume: Effect.Effect<void>
  }
>()("@holdfast/testing/servers/Postgres") {}

/** The reason why this machine cannot run PostgreSQL; undefined when it can. */
export const missing: string | undefined = Programs.missing

const password = "pass word/:@?#"

/** Settings whose effect only a crash of the machine would show. */
const undurable = ["fsync=off", "full_page_writes=off"]

const make = Effect.fnUntraced(function* ({
  directory,
  isDurable = false,
  locale,
  settings: further = []
}: Options): Effect.fn.Return<Postgres["Service"], Cluster.ServerError, Scope.Scope> {
  const collation = locale === "C.UTF-8" ? Programs.byCodePoint() : Programs.english()
  const cluster = yield* Cluster.make(collation, { password, directory })
  const settings = ["shared_buffers=32MB", ...(isDurable ? [] : undurable), ...further]
  let server: ChildProcess | undefined
  let databases = 0

  const start = Effect.suspend(() =>
    server === undefined
      ? Effect.map(Cluster.start(cluster, settings), (started) => {
          server = started
        })
      : Effect.void
  )

  const stop = (mode: "fast" | "immediate" = "fast") =>
    Effect.suspend(() => {
      const running = server
      server = undefined
      return running === undefined ? Effect.void : Cluster.stop(running, mode === "fast" ? "SIGINT" : "SIGQUIT")
    })

  const location = ["-h", cluster.sockets, "-p", String(cluster.port), "-U", Cluster.superuser]

  const execute = (...statements: ReadonlyArray<string>) =>
    Cluster.run("psql", [
      ...location,
      "-X",
      "-q",
      "-d",
      "postgres",
      "-v",
      "ON_ERROR_STOP=1",
      ...statements.flatMap((statement) => ["-c", statement])
    ])

  /** A kept cluster may have the database of an earlier run. */
  const create = (options: string) =>
    Effect.suspend(() => {
      const name = `test_${++databases}`
      return Effect.as(
        execute(
          ...(directory === undefined ? [] : [`DROP DATABASE IF EXISTS ${name}`]),
          `CREATE DATABASE ${name} ${options}`
        ),
        Redacted.make(
          `postgres://${Cluster.superuser}:${encodeURIComponent(password)}@127.0.0.1:${cluster.port}/${name}`,
          { label: "PostgresUrl" }
        )
      )
    })

  const keepDatabase = (url: Redacted.Redacted, name: string) =>
    execute(`ALTER DATABASE ${new URL(Redacted.value(url)).pathname.slice(1)} RENAME TO "${name}"`)

  const startStandby = Effect.gen(function* () {
    const standby = yield* Cluster.makeStandby(cluster)
    yield* Effect.acquireRelease(Cluster.start(standby, settings), (running) => Cluster.stop(running, "SIGQUIT"))
    return { port: standby.port, promote: Cluster.promote(standby) }
  })

  const signal = (name: "SIGSTOP" | "SIGCONT") =>
    Effect.suspend(() => (server === undefined ? Effect.void : Cluster.signal(server, name)))

  yield* Effect.acquireRelease(start, () => Effect.andThen(signal("SIGCONT"), stop("immediate")))
  return {
    collation: collation.name,
    createDatabase: create(""),
    copyDatabase: (name) => create(`TEMPLATE "${name}" STRATEGY file_copy`),
    keepDatabase,
    start,
    stop,
    startStandby,
    suspend: signal("SIGSTOP"),
    resume: signal("SIGCONT")
  }
})

/** Runs a server while the layer is in use. */
export const layer = (options: Options): Layer.Layer<Postgres, Cluster.ServerError> =>
  Layer.effect(Postgres, make(options))
