/**
 * Counts and times of requests, by route template: never by a path, which would be a series for each file.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type { Exchange } from "../Exchange.ts"

export interface RequestMetrics {
  /** A request has been answered, or its client has gone. */
  readonly answered: (exchange: Exchange, status: number, milliseconds: number) => void
}

/** Seconds. */
const boundaries = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

/** What no route took: the route's label when there is none. */
const unmatched = "unmatched"

const newCounter = (route: string, method: string, status: string) =>
  Metric.counter("http_requests_total", {
    description: "Requests that were answered. Status 499: the client left before the answer.",
    incremental: true,
    attributes: { route, method, status }
  })

const newTimer = (route: string, method: string) =>
  Metric.histogram("http_request_duration_seconds", {
    description: "Time from a request's head to the end of its response.",
    boundaries,
    attributes: { route, method }
  })

/** Series are made when first needed and kept: an update is two look-ups and no allocation. */
export const make: Effect.Effect<RequestMetrics> = Effect.contextWith((context: Context.Context<never>) =>
  Effect.sync(() => {
    const counters = new Map<string, Metric.Counter<number>>()
    const timers = new Map<string, Metric.Histogram<number>>()

    const counter = (route: string, method: string, status: number) => {
      const key = `${status} ${method} ${route}`
      const known = counters.get(key)
      if (known !== undefined) return known
      const fresh = newCounter(route, method, String(status))
      counters.set(key, fresh)
      return fresh
    }

    const timer = (route: string, method: string) => {
      const key = `${method} ${route}`
      const known = timers.get(key)
      if (known !== undefined) return known
      const fresh = newTimer(route, method)
      timers.set(key, fresh)
      return fresh
    }

    return {
      answered: ({ method, route = unmatched }, status, milliseconds) => {
        counter(route, method, status).updateUnsafe(1, context)
        timer(route, method).updateUnsafe(milliseconds / 1000, context)
      }
    }
  })
)
