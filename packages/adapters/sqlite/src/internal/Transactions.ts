/**
 * Transactions over one writer at a time, nested ones as savepoints.
 *
 * They replace `SqlClient.withTransaction`, which merges two contexts, that is, copies the map of all services twice, opens a scope and
 * records a span for each transaction: some 8 % of the processor time of a small upload.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Semaphore from "effect/Semaphore"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import type { FairPool } from "@holdfast/sql/FairPool"
import type { GroupCommit, Member } from "./GroupCommit.ts"
import { begin } from "./SqliteError.ts"
import { lend, type Writer } from "./Writer.ts"

export interface Options {
  /** The service by which the statements of a client find the connection of their transaction. */
  readonly service: SqlClient["transactionService"]
  /** The writer of the current fiber. */
  readonly currentWriter: Effect.Effect<Writer>
  /** The writer that has a connection. */
  readonly writerOf: (connection: Connection) => Writer
  /** Runs the transactions of its writer. */
  readonly group: GroupCommit | undefined
  /** Lends the other writers. */
  readonly turns: FairPool
}

export interface Transactions {
  /** Runs the statements of an effect in one transaction, or in a savepoint of the transaction that the fiber is in. */
  readonly run: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError, R>
  /** Whether the fiber is in a transaction. */
  readonly isInside: (context: Context.Context<never>) => boolean
}

type Level = readonly [connection: Connection, depth: number]

/** The statements that begin a level and end it. */
interface Controls {
  readonly begin: Effect.Effect<unknown, SqlError>
  readonly commit: Effect.Effect<unknown, SqlError>
  readonly rollback: Effect.Effect<unknown, SqlError>
}

const control = (connection: Connection, sql: string) => connection.execute(sql, [], undefined)

export const make = ({ currentWriter, group, service, turns, writerOf }: Options): Transactions => {
  /** Two effects that run side by side in one transaction must not mix their savepoints. */
  const savepoints = new WeakMap<Level, Semaphore.Semaphore>()

  const runAt = <A, E, R>(level: Level, controls: Controls, self: Effect.Effect<A, E, R>) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.andThen(
        controls.begin,
        Effect.flatMap(Effect.exit(restore(Effect.provideService(self, service, level))), (exit) =>
          Effect.andThen(Exit.isSuccess(exit) ? controls.commit : Effect.orDie(controls.rollback), exit)
        )
      )
    )

  /** SQLite has ended the transaction after some failures. */
  const whileOpen = (writer: Writer, connection: Connection, sql: string) =>
    Effect.suspend(() => (writer.isTransaction() ? control(connection, sql) : Effect.void))

  const outermost = (writer: Writer, connection: Connection): Controls => ({
    begin: control(connection, begin),
    commit: Effect.catchCause(control(connection, "COMMIT"), (cause) =>
      Effect.andThen(Effect.orDie(writer.onCommitFailure(connection)), Effect.failCause(cause))
    ),
    rollback: whileOpen(writer, connection, "ROLLBACK")
  })

  const nested = (writer: Writer, connection: Connection, depth: number): Controls => {
    const name = `nested_${depth}`
    const release = `RELEASE SAVEPOINT ${name}`
    return {
      begin: control(connection, `SAVEPOINT ${name}`),
      commit: control(connection, release),
      rollback: Effect.andThen(
        whileOpen(writer, connection, `ROLLBACK TO SAVEPOINT ${name}`),
        whileOpen(writer, connection, release)
      )
    }
  }

  /** A transaction among others that are committed together. */
  const inGroup = (writer: Writer, { connection, isFirst }: Member): Controls =>
    isFirst
      ? { begin: Effect.void, commit: Effect.void, rollback: whileOpen(writer, connection, "ROLLBACK") }
      : nested(writer, connection, 0)

  const semaphoreOf = (level: Level): Semaphore.Semaphore => {
    const found = savepoints.get(level) ?? Semaphore.makeUnsafe(1)
    savepoints.set(level, found)
    return found
  }

  return {
    run: (self) =>
      Effect.withFiber(({ context }) => {
        const outer = Context.getOrUndefined(context, service)
        if (outer === undefined) {
          return Effect.flatMap(currentWriter, (writer) =>
            writer === group?.writer
              ? group.run((member) => runAt([member.connection, 0], inGroup(writer, member), self))
              : lend(turns, writer, (connection) => runAt([connection, 0], outermost(writer, connection), self))
          )
        }
        const [connection, depth] = outer
        const level: Level = [connection, depth + 1]
        return semaphoreOf(outer).withPermit(runAt(level, nested(writerOf(connection), connection, depth + 1), self))
      }),
    isInside: (context) => Context.getOrUndefined(context, service) !== undefined
  }
}
