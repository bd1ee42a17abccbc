/**
 * Shares the connections of a client between tenants: one tenant whose statements are slow, or wait for a lock, cannot take
 * all of them.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import { SqlError, StatementTimeoutError } from "effect/sql/SqlError"
import * as Counts from "@holdfast/core/Counts"
import { CurrentTenant } from "@holdfast/core/CurrentTenant"
import * as Scoped from "@holdfast/core/Scoped"

/** The connections of a client. */
export interface FairPool {
  /** Runs an effect while it holds a connection for the current tenant. */
  readonly use: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError, R>
  /** Holds a connection for the current tenant until the scope closes. */
  readonly acquire: Effect.Effect<void, SqlError, Scope.Scope>
}

export interface ClosablePool extends FairPool {
  /** Fails effects that wait, and later ones, with an error. Returns when no connection is held. */
  readonly close: (error: SqlError) => Effect.Effect<void>
}

export interface Options {
  /** How many connections there are. */
  readonly size: number
  /** How long an effect waits for a connection before it fails with `StatementTimeoutError`; unlimited when absent. */
  readonly timeout?: Duration.Input | undefined
  /** Whether work without a tenant has a share as if it were that of one further tenant; false when absent. */
  readonly limitsUnowned?: boolean | undefined
}

interface Waiter {
  resume: (effect: Effect.Effect<void, SqlError>) => void
  hasConnection: boolean
}

/** Returns the error of an effect that waited for a connection for too long. */
export const timedOut = (): SqlError =>
  new SqlError({
    reason: new StatementTimeoutError({
      cause: undefined,
      message: "No connection to the database became free within the timeout",
      operation: "connect"
    })
  })

/**
 * Makes a pool. A tenant gets a further connection while it holds fewer than are free. So a tenant alone can hold half of
 * them, the next one half of the rest, and one that holds none gets one as long as any is free. Work without a tenant, such
 * as the sweeper's, may hold any number, unless `limitsUnowned`. Tenants that wait take turns; effects of one tenant run in
 * the order in which they came.
 */
export const make = ({ limitsUnowned = false, size, timeout }: Options): ClosablePool => {
  type Tenant = string | undefined
  const held = Counts.make<Tenant>()
  /** In the order in which the tenants have their turn. No queue is empty. */
  const queues = new Map<Tenant, Set<Waiter>>()
  /** What effects fail with after `close`. */
  let refusal: Effect.Effect<never, SqlError> | undefined
  const whenUnused: Array<() => void> = []

  const take = (tenant: Tenant): boolean => {
    const free = refusal === undefined ? size - held.total() : 0
    if (free === 0 || ((limitsUnowned || tenant !== undefined) && held.get(tenant) >= free)) return false
    held.add(tenant, 1)
    return true
  }

  /** Resumes the first effect of each tenant that may have a connection. Returns whether there was any. */
  const resumeRound = (): boolean => {
    let hasResumed = false
    for (const [tenant, waiters] of Array.from(queues)) {
      const [next] = waiters
      if (next === undefined || !take(tenant)) continue
      waiters.delete(next)
      queues.delete(tenant)
      if (waiters.size > 0) queues.set(tenant, waiters)
      next.hasConnection = true
      next.resume(Effect.void)
      hasResumed = true
    }
    return hasResumed
  }

  const release = (tenant: Tenant): void => {
    held.add(tenant, -1)
    while (resumeRound()) {}
    if (held.total() === 0) for (const then of whenUnused) then()
  }

  type Restore = <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

  /** Waits for a connection. Only the waiting may be interrupted; then, and after the timeout, no connection is held. */
  const wait = (tenant: Tenant, restore: Restore): Effect.Effect<void, SqlError> =>
    Effect.suspend(() => {
      if (refusal !== undefined) return refusal
      const waiter: Waiter = { resume: () => undefined, hasConnection: false }
      const waiters = queues.get(tenant) ?? new Set()
      queues.set(tenant, waiters.add(waiter))
      const waiting = Effect.callback<void, SqlError>((resume) => {
        if (waiter.hasConnection) resume(Effect.void)
        else if (refusal !== undefined) resume(refusal)
        else waiter.resume = resume
      })
      const bounded =
        timeout === undefined
          ? waiting
          : Effect.timeoutOrElse(waiting, { duration: timeout, orElse: () => Effect.fail(timedOut()) })
      return Effect.onExit(restore(bounded), (exit) =>
        Effect.sync(() => {
          if (Exit.isSuccess(exit)) return
          if (waiter.hasConnection) return release(tenant)
          waiters.delete(waiter)
          if (waiters.size === 0 && queues.get(tenant) === waiters) queues.delete(tenant)
        })
      )
    })

  return {
    use: (self) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.withFiber((fiber) => {
          const tenant = fiber.getRef(CurrentTenant)
          const run = Effect.onExitPrimitive(restore(self), () => {
            release(tenant)
            return undefined
          })
          return take(tenant) ? run : Effect.andThen(wait(tenant, restore), run)
        })
      ),
    acquire: Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(CurrentTenant, (tenant) =>
        Scoped.acquire(
          Effect.suspend(() => (take(tenant) ? Effect.void : wait(tenant, restore))),
          () => Effect.sync(() => release(tenant))
        )
      )
    ),
    close: (error) =>
      Effect.callback<void>((resume) => {
        refusal = Effect.fail(error)
        for (const waiters of queues.values()) for (const waiter of waiters) waiter.resume(refusal)
        if (held.total() === 0) resume(Effect.void)
        else whenUnused.push(() => resume(Effect.void))
      })
  }
}
