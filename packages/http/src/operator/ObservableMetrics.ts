/**
 * Metrics whose value is read when the metrics are collected (OpenTelemetry calls such instruments observable). They
 * cost nothing between two collections.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type * as Scope from "effect/Scope"

export interface ObservableMetric {
  readonly name: string
  readonly description: string
  /** The value of a counter never decreases. */
  readonly kind: "counter" | "gauge"
  readonly read: () => number
}

const register = ({ description, kind, name, read }: ObservableMetric) =>
  Effect.acquireRelease(
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.sync(() => {
        const ignoreUpdates = { update: () => {}, modify: () => {} }
        return kind === "gauge"
          ? Metric.registerUnsafe(Metric.gauge(name, { description }), context, {
              ...ignoreUpdates,
              get: () => ({ value: read() })
            })
          : Metric.registerUnsafe(Metric.counter(name, { description, incremental: true }), context, {
              ...ignoreUpdates,
              get: () => ({ count: read(), incremental: true })
            })
      })
    ),
    (registration) => Effect.sync(() => registration.remove())
  )

/** Registers metrics until the scope closes. */
export const registerAll = (metrics: ReadonlyArray<ObservableMetric>): Effect.Effect<void, never, Scope.Scope> =>
  Effect.forEach(metrics, register, { discard: true })
