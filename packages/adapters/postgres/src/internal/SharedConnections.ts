/**
 * Connections that many statements share, with a bound for the wait for one.
 */
import type { PgConnection } from "@effect/sql-pg/PgConnection"
import type { PgPool } from "@effect/sql-pg/PgPool"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import * as FairPool from "@holdfast/sql/FairPool"

export interface Options {
  /** The longest wait for a connection; unlimited when undefined. */
  readonly timeout: Duration.Duration | undefined
  /** Returns how many statements the open connections can run at once. */
  readonly places: () => number
}

/**
 * Returns the `get` and `use` of a pool, which fail when the wait takes too long. The pool alone gives the failure of an attempt to
 * connect to one waiting statement only, so that hundreds of them would wait for hundreds of attempts.
 */
export const make = (pool: PgPool, { places, timeout }: Options): Pick<PgPool, "get" | "use"> => {
  if (timeout === undefined) return pool
  const get = Effect.timeoutOrElse(pool.get, { duration: timeout, orElse: () => Effect.fail(FairPool.timedOut()) })
  let borrowed = 0
  const returned = () => {
    borrowed--
    return undefined
  }
  return {
    get,
    use: <A, E, R>(run: (connection: PgConnection) => Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
      Effect.suspend(() => {
        // A statement that finds a place does not wait: a timer would cost more than the rest.
        const isFree = borrowed < places()
        borrowed++
        return Effect.onExitPrimitive(isFree ? pool.use(run) : Effect.scoped(Effect.flatMap(get, run)), returned)
      })
  }
}
