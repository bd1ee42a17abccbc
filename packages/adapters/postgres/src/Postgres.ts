/**
 * An SqlClient on PostgreSQL.
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
  /** `postgres://user:password@host:port/database`, with libpq's parameters. It appears in no error and no log. */
  readonly url: Redacted.Redacted
  /** 10 when absent. Connections are opened as they are needed. */
  readonly maxConnections?: number | undefined
  /**
   * Whether statements of several fibers are pipelined over one connection: three times as many short reads, but one
   * that takes long or waits for a lock holds up those behind it, and an interrupted one runs on. No when absent;
   * transactions have a connection to themselves in any case.
   */
  readonly multiplex?: boolean | undefined
  /** What the server shows of this client; `holdfast` when absent. */
  readonly applicationName?: string | undefined
  /** How long a connection may take to open; 5 seconds when absent. */
  readonly connectTimeout?: Duration.Input | undefined
  /** How long an unused connection stays open; a minute when absent. */
  readonly idleTimeout?: Duration.Input | undefined
}

/** Of a URL that cannot be read nothing is told, since the fault may stand in the middle of its password. */
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
 * A pool of connections. None is opened before it is needed, and one that is lost, since the server restarted, is
 * replaced by the next statement; the statements that it was lost under fail.
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
        // A peer that vanished without a word is found out, and its connection replaced.
        keepAlive: "30 seconds"
      })
    : Effect.fail(invalidUrl())

export const layer = (options: Options): Layer.Layer<SqlClient, SqlError> =>
  Layer.effect(SqlClient, make(options)).pipe(Layer.provide(Reactivity.layer))
