/**
 * What the process uses, under the names that Prometheus' own clients give it.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Fs from "node:fs"
import { monitorEventLoopDelay } from "node:perf_hooks"
import * as Gauges from "./Gauges.ts"

/** Milliseconds between two samples of the event loop's delay: rare enough to cost nothing. */
const resolution = 20

const nanosecond = 1e-9

/** How many descriptors are open; not every system tells. */
const openDescriptors = (): number => {
  try {
    return Fs.readdirSync("/proc/self/fd").length
  } catch {
    return NaN
  }
}

const readings = (delay: () => number): ReadonlyArray<Gauges.Reading> => [
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
    read: openDescriptors
  },
  {
    name: "process_start_time_seconds",
    description: "When the process started, in seconds since 1970.",
    kind: "gauge",
    read: () => performance.timeOrigin / 1000
  },
  {
    name: "nodejs_eventloop_lag_seconds",
    description: "How late the event loop came, at the 99th percentile since the last time this was asked.",
    kind: "gauge",
    read: delay
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
    yield* Gauges.registerAll(
      readings(() => {
        // The sampling interval itself is part of every sample.
        const lag = Math.max(0, histogram.percentile(99) * nanosecond - resolution / 1000)
        histogram.reset()
        return lag
      })
    )
  })
)
