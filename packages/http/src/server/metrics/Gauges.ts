/**
 * Metrics that are read when they are asked for, so that they cost nothing in between.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type * as Scope from "effect/Scope"

export interface Reading {
  readonly name: string
  readonly description: string
  /** A counter only ever grows. */
  readonly kind: "counter" | "gauge"
  readonly read: () => number
}

const register = (reading: Reading) =>
  Effect.acquireRelease(
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.sync(() => {
        const { description, name, read } = reading
        const hooks = { update: () => {}, modify: () => {} }
        return reading.kind === "gauge"
          ? Metric.registerUnsafe(Metric.gauge(name, { description }), context, {
              ...hooks,
              get: () => ({ value: read() })
            })
          : Metric.registerUnsafe(Metric.counter(name, { description, incremental: true }), context, {
              ...hooks,
              get: () => ({ count: read(), incremental: true })
            })
      })
    ),
    (registration) => Effect.sync(() => registration.remove())
  )

/** Registers readings until the scope closes. */
export const registerAll = (readings: ReadonlyArray<Reading>): Effect.Effect<void, never, Scope.Scope> =>
  Effect.forEach(readings, register, { discard: true })
