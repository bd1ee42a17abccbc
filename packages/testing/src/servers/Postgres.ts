/**
 * A real PostgreSQL server for tests, in a cluster of its own that is gone afterwards. It refuses root, so that under root
 * it runs as `postgres` or `nobody`.
 */
import type { ChildProcess } from "node:child_process"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Cluster from "./PostgresCluster.ts"
import * as Programs from "./PostgresPrograms.ts"

export interface Options {
  /** How databases order text by default. */
  readonly locale: "C.UTF-8" | "en_US.UTF-8"
  /** Whether commits survive a crash of the machine; tests are quicker without. */
  readonly isDurable?: boolean | undefined
}

export class Postgres extends Context.Service<
  Postgres,
  {
    /** What orders text: `C.UTF-8`, `en_US.UTF-8`, or `en-US of ICU` where the machine lacks the locale. */
    readonly collation: string
    /** Makes an empty database, and gives the URL to it, over TCP with a password. */
    readonly createDatabase: Effect.Effect<Redacted.Redacted, Cluster.ServerError>
    /** Ends the server: cleanly while cutting connections off (default), or as a crash would. */
    readonly stop: (how?: "fast" | "immediate") => Effect.Effect<void>
    /** Starts the server again, on the same port; nothing when it runs. */
    readonly start: Effect.Effect<void, Cluster.ServerError>
  }
>()("@holdfast/testing/servers/Postgres") {}

/** What is missing to run it: undefined when nothing is. */
export const missing: string | undefined = Programs.missing

const password = "pass word/:@?#"

/** What only a crash of the machine could tell apart. */
const fast = ["fsync=off", "full_page_writes=off"]

const make = Effect.fnUntraced(function* ({
  isDurable = false,
  locale
}: Options): Effect.fn.Return<Postgres["Service"], Cluster.ServerError, Scope.Scope> {
  const collation = locale === "C.UTF-8" ? Programs.computer() : Programs.english()
  const cluster = yield* Cluster.make(collation, password)
  const settings = ["shared_buffers=32MB", ...(isDurable ? [] : fast)]
  let server: ChildProcess | undefined
  let databases = 0

  const start = Effect.suspend(() =>
    server === undefined
      ? Effect.map(Cluster.start(cluster, settings), (started) => {
          server = started
        })
      : Effect.void
  )

  const stop = (how: "fast" | "immediate" = "fast") =>
    Effect.suspend(() => {
      const running = server
      server = undefined
      return running === undefined ? Effect.void : Cluster.stop(running, how === "fast" ? "SIGINT" : "SIGQUIT")
    })

  const createDatabase = Effect.suspend(() => {
    const name = `test_${++databases}`
    const host = ["-h", cluster.sockets, "-p", String(cluster.port), "-U", Cluster.superuser]
    return Effect.as(
      Cluster.run("psql", [...host, "-X", "-q", "-d", "postgres", "-c", `CREATE DATABASE ${name}`]),
      Redacted.make(
        `postgres://${Cluster.superuser}:${encodeURIComponent(password)}@127.0.0.1:${cluster.port}/${name}`,
        { label: "PostgresUrl" }
      )
    )
  })

  yield* Effect.acquireRelease(start, () => stop("immediate"))
  return { collation: collation.name, createDatabase, start, stop }
})

/** A running server, for as long as the layer lives. */
export const layer = (options: Options): Layer.Layer<Postgres, Cluster.ServerError> =>
  Layer.effect(Postgres, make(options))
