/**
 * Number and duration of requests by route template. Paths are never labels: each file would get a series of its own.
 */
import * as Counter from "@holdfast/core/metrics/Counter"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"

/** The labels of a request. */
export interface RequestLabels {
  readonly method: string
  /** The path template of the route; undefined if no route matches. */
  readonly route: string | undefined
}

export interface RequestMetrics {
  /** Records a request that was answered or whose client disconnected. */
  readonly record: (request: RequestLabels, status: number, milliseconds: number) => void
}

/** Upper bounds of the histogram's buckets, in seconds. */
const boundaries = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

/** The route label of requests that no route matches. */
const unmatched = "unmatched"

const makeCounter = (route: string, method: string, status: string) =>
  Counter.make("http_requests_total", "Requests that ended. Status 499: the client disconnected before the answer.", {
    route,
    method,
    status
  })

const makeHistogram = (route: string, method: string) =>
  Metric.histogram("http_request_duration_seconds", {
    description: "Time from the header section of a request to the end of its response.",
    boundaries,
    attributes: { route, method }
  })

/** The metrics of one method of one route. */
interface Series {
  readonly durations: Metric.Histogram<number>
  /** By status. */
  readonly counters: Map<number, Metric.Counter<number>>
}

const getOrCreate = <K, V>(map: Map<K, V>, key: K, create: (key: K) => V): V => {
  const existing = map.get(key)
  if (existing !== undefined) return existing
  const created = create(key)
  map.set(key, created)
  return created
}

/**
 * Makes the recorder. Each series is created on first use and kept, so that an update takes three map look-ups and
 * builds no label text, which would cost 2 µs per request.
 */
export const make: Effect.Effect<RequestMetrics> = Effect.contextWith((context: Context.Context<never>) =>
  Effect.sync(() => {
    const routes = new Map<string, Map<string, Series>>()

    const makeSeries = (route: string, method: string): Series => ({
      durations: makeHistogram(route, method),
      counters: new Map()
    })

    return {
      record: ({ method, route = unmatched }, status, milliseconds) => {
        const methods = getOrCreate(routes, route, () => new Map<string, Series>())
        const { counters, durations } = getOrCreate(methods, method, () => makeSeries(route, method))
        const counter = getOrCreate(counters, status, () => makeCounter(route, method, String(status)))
        counter.updateUnsafe(1, context)
        durations.updateUnsafe(milliseconds / 1000, context)
      }
    }
  })
)
