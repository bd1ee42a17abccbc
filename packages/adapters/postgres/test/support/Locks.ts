/**
 * Runs two changes at the same time, so that one waits for a lock of the other.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { SqlClient } from "effect/sql/SqlClient"

/** Waits until another session of the database waits for a lock. */
const untilBlocked = Effect.gen(function* () {
  const sql = yield* SqlClient
  const waiting = sql`SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
  yield* Effect.repeat(waiting, { until: (rows) => rows.length > 0 })
})

/** Starts a change while another one is not committed yet. Commits that one after `untilCommit`. */
const start = Effect.fnUntraced(function* <A, E, R, A2, E2, R2>(
  uncommitted: Effect.Effect<A, E, R>,
  change: Effect.Effect<A2, E2, R2>,
  untilCommit: (change: Fiber.Fiber<A2, E2>, blocked: Fiber.Fiber<void, unknown>) => Effect.Effect<unknown, unknown>
) {
  const sql = yield* SqlClient
  const begun = yield* Deferred.make<void>()
  // Forked outside of the transaction, so that both have their own connections.
  const changing = yield* Effect.forkScoped(Effect.andThen(Deferred.await(begun), change))
  const blocked = yield* Effect.forkScoped(Effect.andThen(Deferred.await(begun), untilBlocked))
  yield* uncommitted.pipe(
    Effect.andThen(Deferred.succeed(begun, undefined)),
    Effect.andThen(untilCommit(changing, blocked)),
    sql.withTransaction
  )
  yield* Fiber.interrupt(blocked)
  return changing
})

/** Runs a change while another one is not committed yet, until the change ends or waits for a lock. Returns its fiber. */
export const startDuring = <A, E, R, A2, E2, R2>(
  uncommitted: Effect.Effect<A, E, R>,
  change: Effect.Effect<A2, E2, R2>
) => start(uncommitted, change, (changing, blocked) => Effect.raceFirst(Fiber.await(changing), Fiber.await(blocked)))

/**
 * Runs a change that must wait for a lock of another one, which is committed then, after `rest` in the same transaction. Returns the change's
 * result.
 */
export const runBlockedBy = <A, E, R, A2, E2, R2>(
  uncommitted: Effect.Effect<A, E, R>,
  change: Effect.Effect<A2, E2, R2>,
  rest: Effect.Effect<unknown, unknown> = Effect.void
) =>
  Effect.flatMap(
    start(uncommitted, change, (_, blocked) => Effect.andThen(Fiber.join(blocked), rest)),
    Fiber.join
  )
