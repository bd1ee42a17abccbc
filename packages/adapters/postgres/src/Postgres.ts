/**
 * An SqlClient for PostgreSQL.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import { SqlError, UnknownError } from "effect/sql/SqlError"

export interface Options {
  /** `postgres://user:password@host:port/database`, with libpq's parameters. No error and no log contains it. */
  readonly url: Redacted.Redacted
  /** 10 when absent. The client opens connections when it needs them. */
  readonly maxConnections?: number | undefined
  /**
   * Whether to pipeline the statements of several fibers over one connection; false when absent. It allows three times as
   * many short reads, but a statement that takes long or waits for a lock delays those behind it, and an interrupted
   * statement continues on the server. A transaction always has its own connection.
   */
  readonly multiplex?: boolean | undefined
  /** The name of this client in the server's statistics; `holdfast` when absent. */
  readonly applicationName?: string | undefined
  /** The timeout for opening a connection; 5 seconds when absent. */
  readonly connectTimeout?: Duration.Input | undefined
  /** How long an unused connection stays open; 1 minute when absent. */
  readonly idleTimeout?: Duration.Input | undefined
}

/** The error for a malformed URL. It contains no part of the URL, because the fault may be inside the password. */
const invalidUrl = (): SqlError =>
  new SqlError({
    reason: new UnknownError({
      cause: undefined,
      message: "The PostgreSQL connection URL is not valid",
      operation: "connect"
    })
  })

const isEncoded = (text: string): boolean => {
  try {
    return decodeURIComponent(text) !== undefined
  } catch {
    return false
  }
}

const isUrl = (redacted: Redacted.Redacted): boolean => {
  const url = URL.parse(Redacted.value(redacted))
  return (
    url !== null &&
    /^postgres(?:ql)?:$/.test(url.protocol) &&
    [url.username, url.password, url.hostname, url.pathname].every(isEncoded)
  )
}

/**
 * Makes a pool of connections. It opens a connection when it first needs it. When a connection is lost, as in a restart of the
 * server, the statements on it fail and the next statement opens a new connection.
 */
export const make = (options: Options): Effect.Effect<SqlClient, SqlError, Scope.Scope | Reactivity.Reactivity> =>
  isUrl(options.url)
    ? PgClient.make({
        url: options.url,
        maxConnections: options.maxConnections ?? 10,
        multiplex: options.multiplex ?? false,
        applicationName: options.applicationName ?? "holdfast",
        connectTimeout: options.connectTimeout ?? "5 seconds",
        idleTimeout: options.idleTimeout ?? "1 minute",
        // Detects a server that vanished without closing the connection.
        keepAlive: "30 seconds"
      })
    : Effect.fail(invalidUrl())

export const layer = (options: Options): Layer.Layer<SqlClient, SqlError> =>
  Layer.effect(SqlClient, make(options)).pipe(Layer.provide(Reactivity.layer))
