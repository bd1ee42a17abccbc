/**
 * A connection of @effect/sql-pg as the `Connection` of effect's SQL modules.
 */
import type { PgConnection } from "@effect/sql-pg/PgConnection"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Connection } from "effect/sql/SqlConnection"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import * as Stream from "effect/Stream"
import type { Watch } from "./SilentServer.ts"

type Transform = Parameters<Connection["execute"]>[2]

/** A class, because one is made for each statement. */
class PostgresConnection implements Connection {
  private readonly connection: PgConnection
  private readonly watch: Watch

  constructor(connection: PgConnection, watch: Watch) {
    this.connection = connection
    this.watch = watch
  }

  private query(sql: string, params: ReadonlyArray<unknown>, prepare?: boolean) {
    return this.watch.statement(this.connection, this.connection.query(sql, params, prepare))
  }

  private queryValues(sql: string, params: ReadonlyArray<unknown>, prepare?: boolean) {
    return this.watch.statement(this.connection, this.connection.queryValues(sql, params, prepare))
  }

  private run(sql: string, params: ReadonlyArray<unknown>, transform: Transform, prepare: boolean) {
    return Effect.map(this.query(sql, params, prepare), ({ rows }) =>
      transform === undefined ? rows : transform(rows)
    )
  }

  execute(sql: string, params: ReadonlyArray<unknown>, transform: Transform) {
    return this.run(sql, params, transform, true)
  }

  executeUnprepared(sql: string, params: ReadonlyArray<unknown>, transform: Transform) {
    return this.run(sql, params, transform, false)
  }

  executeRaw(sql: string, params: ReadonlyArray<unknown>) {
    return this.query(sql, params)
  }

  executeValues(sql: string, params: ReadonlyArray<unknown>) {
    return this.queryValues(sql, params)
  }

  executeValuesUnprepared(sql: string, params: ReadonlyArray<unknown>) {
    return this.queryValues(sql, params, false)
  }

  /** Its statement is not watched: the server is silent while the consumer of the rows is slow. */
  executeStream(
    sql: string,
    params: ReadonlyArray<unknown>,
    transform: Transform
  ): ReturnType<Connection["executeStream"]> {
    const rows = this.connection.stream(sql, params)
    if (transform === undefined) return rows
    return Stream.flatMap(Stream.chunks(rows), (chunk) => Stream.fromIterable(transform(chunk)))
  }
}

/** Returns a function that makes the `Connection` of a connection whose statements are watched. */
export const make =
  (watch: Watch) =>
  (connection: PgConnection): Connection =>
    new PostgresConnection(connection, watch)

/** Commits. PostgreSQL answers COMMIT in a failed transaction with ROLLBACK, and no error. */
export const commit = (connection: Connection): Effect.Effect<void, SqlError> =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) =>
    Predicate.hasProperty(result, "command") && result.command === "ROLLBACK"
      ? Effect.fail(
          new SqlError({
            reason: new UnknownError({
              cause: undefined,
              message: "PostgreSQL rolled back a failed transaction instead of committing it",
              operation: "commit"
            })
          })
        )
      : Effect.void
  )
