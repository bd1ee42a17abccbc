/**
 * Connections that many statements share: tenants take turns for them, and the wait for one has a bound.
 */
import type { PgConnection } from "@effect/sql-pg/PgConnection"
import type { PgPool } from "@effect/sql-pg/PgPool"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import * as FairPool from "@holdfast/sql/FairPool"

export interface Options {
  /** How many statements all connections can run at once. */
  readonly size: number
  /** Returns how many the open connections can. */
  readonly places: () => number
  /** The longest wait for a turn and for a connection, together; unlimited when undefined. */
  readonly timeout: Duration.Duration | undefined
}

/**
 * Returns the `get` and `use` of a pool, which fail when the wait takes too long. The pool alone gives the failure of an attempt to
 * connect to one waiting statement only, so that hundreds of them would wait for hundreds of attempts.
 *
 * Statements of tenants take turns (`FairPool`), those without a tenant count as one: they look up the keys of requests. The pool
 * alone runs statements in the order in which they came, so that those of one tenant would wait for all of another.
 */
export const make = (pool: PgPool, { places, size, timeout }: Options): Pick<PgPool, "get" | "use"> => {
  const shares = FairPool.make({ size, timeout, limitsUnowned: true })
  if (timeout === undefined) return { get: pool.get, use: (run) => shares.use(pool.use(run)) }
  const orTimeout = (millis: number) =>
    Effect.timeoutOrElse(pool.get, { duration: millis, orElse: () => Effect.fail(FairPool.timedOut()) })
  const longest = Duration.toMillis(timeout)
  let borrowed = 0
  const returned = () => {
    borrowed--
    return undefined
  }
  const borrow = <A, E, R>(
    run: (connection: PgConnection) => Effect.Effect<A, E, R>,
    since: number
  ): Effect.Effect<A, E | SqlError, R> =>
    Effect.suspend(() => {
      // A statement that finds a place does not wait: a timer would cost more than the rest.
      const isFree = borrowed < places()
      borrowed++
      if (isFree) return Effect.onExitPrimitive(pool.use(run), returned)
      const left = Math.max(0, longest - (performance.now() - since))
      return Effect.onExitPrimitive(Effect.scoped(Effect.flatMap(orTimeout(left), run)), returned)
    })
  return {
    get: orTimeout(longest),
    use: (run) => Effect.suspend(() => shares.use(borrow(run, performance.now())))
  }
}
