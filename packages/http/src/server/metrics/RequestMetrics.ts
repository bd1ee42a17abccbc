/**
 * Counts and times of requests, by route template: never by a path, which would be a series for each file.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type { ObservedRequest } from "../listener/ObservedRequest.ts"

export interface RequestMetrics {
  /** A request has been answered, or its client has gone. */
  readonly answered: (exchange: ObservedRequest, status: number, milliseconds: number) => void
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

/** What is counted of one method of one route. */
interface Series {
  readonly timer: Metric.Histogram<number>
  /** By status. */
  readonly counters: Map<number, Metric.Counter<number>>
}

/** The value of a key, made when it is first asked for. */
const getOrMake = <K, V>(map: Map<K, V>, key: K, make: (key: K) => V): V => {
  const known = map.get(key)
  if (known !== undefined) return known
  const fresh = make(key)
  map.set(key, fresh)
  return fresh
}

/** Series are made when first needed and kept: an update is three look-ups and makes no text, which would cost 2 µs. */
export const make: Effect.Effect<RequestMetrics> = Effect.contextWith((context: Context.Context<never>) =>
  Effect.sync(() => {
    const routes = new Map<string, Map<string, Series>>()

    const newSeries = (route: string, method: string): Series => ({
      timer: newTimer(route, method),
      counters: new Map()
    })

    return {
      answered: ({ method, route = unmatched }, status, milliseconds) => {
        const methods = getOrMake(routes, route, () => new Map<string, Series>())
        const { counters, timer } = getOrMake(methods, method, () => newSeries(route, method))
        const counter = getOrMake(counters, status, () => newCounter(route, method, String(status)))
        counter.updateUnsafe(1, context)
        timer.updateUnsafe(milliseconds / 1000, context)
      }
    }
  })
)
