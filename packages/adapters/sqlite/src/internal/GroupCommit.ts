/**
 * Commits the changes of one turn of the event loop as one transaction. Each change is a savepoint in it, so that the failure of one
 * rolls back no other, and ends when the transaction is committed.
 *
 * The requests whose syncs end together change the same pages: one transaction writes each page to the log once, and takes one lock
 * and one snapshot. While the log is synced, the transaction stays open until the sync ends: an earlier commit would wait for the next
 * sync all the same. Where other processes commit, it ends with the turn, because they wait for its lock meanwhile; the next one begins
 * when the sync has ended.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Connection } from "effect/sql/SqlConnection"
import { ConnectionError, isSqlError, SqlError } from "effect/sql/SqlError"
import type { FairPool } from "@holdfast/sql/FairPool"
import { begin as beginStatement, closed } from "./SqliteError.ts"
import type { Writer } from "./Writer.ts"

/** A change while it has its turn. */
export interface Member {
  readonly connection: Connection
  /** Whether the transaction has no earlier change: then a rollback of all of it undoes no other. */
  readonly isFirst: boolean
}

export interface GroupCommit {
  readonly writer: Writer
  /** Runs a change in the open transaction, which it begins if there is none. Returns when the transaction has ended. */
  readonly run: <A, E, R>(change: (member: Member) => Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError, R>
  /** Commits the open transaction. The caller has the turn; the changes get the error of a failure. */
  readonly close: Effect.Effect<void>
  /** Ends the open transaction before the database is closed: rolls it back if a change of it still has the turn. */
  readonly end: Effect.Effect<void>
}

type Outcome = Effect.Effect<void, SqlError>

/** The changes of one transaction. */
interface Group {
  /** Undefined while the transaction is open. */
  outcome: Outcome | undefined
  size: number
  /** Whether the turn of the event loop is over. */
  isDue: boolean
  readonly waiting: Array<(outcome: Outcome) => void>
}

export interface Options {
  readonly writer: Writer
  /** Lends the writer to one change at a time. */
  readonly turns: FairPool
  /** Calls a function when no sync of the log runs: when the running one ends, or at once. */
  readonly whenSynced: (then: () => void) => void
  /** Whether other processes commit, too. */
  readonly isShared: boolean
}

/** Returns the error for a change whose transaction was rolled back because of another change that ended like this. */
const rolledBack = (other: Exit.Exit<unknown, unknown>): SqlError => {
  const cause = Exit.isFailure(other) ? Cause.squash(other.cause) : undefined
  return isSqlError(cause)
    ? cause
    : new SqlError({
        reason: new ConnectionError({
          cause,
          message: "SQLite: the transaction was rolled back",
          operation: "commit"
        })
      })
}

/** Makes the groups of a writer on the calling thread. */
export const make = ({ isShared, turns, whenSynced, writer }: Options): GroupCommit => {
  const { connection, isTransaction, onCommitFailure } = writer
  let open: Group | undefined
  /** Whether a change of the open transaction has the turn. */
  let isChanging = false

  const commit = Effect.catchCause(connection.execute("COMMIT", [], undefined), (cause) =>
    Effect.andThen(Effect.orDie(onCommitFailure(connection)), Effect.failCause(cause))
  )

  const end = (group: Group, exit: Exit.Exit<unknown, SqlError>): void => {
    open = undefined
    group.outcome = Exit.isSuccess(exit) ? Effect.void : Effect.failCause(exit.cause)
    for (const resume of group.waiting) resume(group.outcome)
  }

  const commitOpen = (): void => {
    // The statement runs on this thread, so that it has ended when this returns.
    if (open !== undefined) end(open, Effect.runSyncExit(commit))
  }

  const rollBackOpen = (): void => {
    if (open === undefined) return
    Effect.runSyncExit(connection.execute("ROLLBACK", [], undefined))
    end(open, Exit.fail(closed()))
  }

  const endTurn = (group: Group): void => {
    group.isDue = true
    if (open === group && !isChanging) commitOpen()
  }

  /** Changes that come during a sync wait without the lock, so that another process can have it. They have the next sync all the same. */
  const untilBegin = isShared ? Effect.callback<void>((resume) => whenSynced(() => resume(Effect.void))) : Effect.void

  const beginNow: Effect.Effect<Group, SqlError> = Effect.map(connection.execute(beginStatement, [], undefined), () => {
    const group: Group = { outcome: undefined, size: 0, isDue: false, waiting: [] }
    open = group
    setImmediate(() => (isShared ? endTurn(group) : whenSynced(() => endTurn(group))))
    return group
  })

  const begin = Effect.andThen(untilBegin, beginNow)

  /** Runs a change in a group. */
  const runIn = <A, E, R>(group: Group, change: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    isChanging = true
    return Effect.onExitPrimitive(change, (exit) => {
      isChanging = false
      // The database was closed meanwhile.
      if (group.outcome !== undefined) return undefined
      // The only change has rolled back the transaction, or SQLite has after a failure of the disk: then the earlier changes are lost.
      if (!isTransaction()) end(group, group.size === 1 ? Exit.void : Exit.fail(rolledBack(exit)))
      else if (group.isDue) commitOpen()
      return undefined
    })
  }

  const ended = (group: Group): Outcome =>
    Effect.suspend(() => group.outcome ?? Effect.callback<void, SqlError>((resume) => void group.waiting.push(resume)))

  return {
    writer,
    run: (change) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.suspend(() => {
          let group: Group | undefined
          const inTurn = writer.borrower((connection) =>
            Effect.flatMap(
              Effect.suspend(() => (open === undefined ? begin : Effect.succeed(open))),
              (joined) => {
                group = joined
                return runIn(joined, change({ connection, isFirst: ++joined.size === 1 }))
              }
            )
          )
          return Effect.flatMap(Effect.exit(restore(turns.use(inTurn))), (exit) =>
            group === undefined ? exit : Effect.andThen(ended(group), exit)
          )
        })
      ),
    close: Effect.sync(commitOpen),
    end: Effect.sync(() => (isChanging ? rollBackOpen() : commitOpen()))
  }
}
