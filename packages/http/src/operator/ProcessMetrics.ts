/**
 * Resources that the process uses, under the metric names of Prometheus' own client libraries.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Fs from "node:fs"
import { monitorEventLoopDelay } from "node:perf_hooks"
import * as ObservableMetrics from "./ObservableMetrics.ts"

/** Milliseconds between two samples of the event loop's delay. At this rate sampling costs nothing measurable. */
const resolution = 20

const secondsPerNanosecond = 1e-9

/** Returns the number of open file descriptors, or NaN on a system that does not report it in `/proc`. */
const countDescriptors = (): number => {
  try {
    return Fs.readdirSync("/proc/self/fd").length
  } catch {
    return NaN
  }
}

/** Returns how many file descriptors the process may open, or NaN as above and without a limit. */
const readDescriptorLimit = (): number => {
  try {
    return Number(/^Max open files +(\d+)/m.exec(Fs.readFileSync("/proc/self/limits", "utf8"))?.[1])
  } catch {
    return NaN
  }
}

const metrics = (readDelay: () => number): ReadonlyArray<ObservableMetrics.ObservableMetric> => [
  {
    name: "process_cpu_seconds_total",
    description: "CPU time of the process, user and system.",
    kind: "counter",
    read: () => {
      const { system, user } = process.cpuUsage()
      return (system + user) / 1e6
    }
  },
  {
    name: "process_resident_memory_bytes",
    description: "Resident memory.",
    kind: "gauge",
    read: () => process.memoryUsage.rss()
  },
  {
    name: "process_open_fds",
    description: "Open file descriptors.",
    kind: "gauge",
    read: countDescriptors
  },
  {
    name: "process_max_fds",
    description: "File descriptors that the process may open.",
    kind: "gauge",
    read: readDescriptorLimit
  },
  {
    name: "process_start_time_seconds",
    description: "Start time of the process, in seconds since 1970.",
    kind: "gauge",
    read: () => performance.timeOrigin / 1000
  },
  {
    name: "nodejs_eventloop_lag_seconds",
    description: "99th percentile of the event loop's delay since the previous collection.",
    kind: "gauge",
    read: readDelay
  }
]

export const layer: Layer.Layer<never> = Layer.effectDiscard(
  Effect.gen(function* () {
    const histogram = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const monitor = monitorEventLoopDelay({ resolution })
        monitor.enable()
        return monitor
      }),
      (monitor) => Effect.sync(() => monitor.disable())
    )
    yield* ObservableMetrics.registerAll(
      metrics(() => {
        // Every sample includes the sampling interval itself.
        const lag = Math.max(0, histogram.percentile(99) * secondsPerNanosecond - resolution / 1000)
        histogram.reset()
        return lag
      })
    )
  })
)
