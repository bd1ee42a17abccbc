/**
 * Collects all of the heap when a service has nothing to do, so that it gives back memory that the start, or many requests, left. V8 itself
 * collects when objects are created: a service that is idle keeps what it had.
 *
 * The collection takes some 70 ms of a service that has just started. Program text that was not used since is compiled again when it is.
 */
import { performance } from "node:perf_hooks"
import { getHeapStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** Milliseconds that are looked at together. */
const interval = 4_000

/** The part of them in which an idle service works, at most, and a busy one at least. */
const idle = 0.01
const busy = 0.2

/** Milliseconds between two collections, at least. */
const pause = 10 * 60_000

/** Bytes. The collection of a larger heap would take long. */
const largeHeap = 128 * 1024 ** 2

/** Returns the function of V8 that collects, with all that can be compiled again. It exists where the flag is set alone. */
const find = (): (() => void) => {
  setFlagsFromString("--expose-gc")
  const collect: unknown = runInNewContext("gc")
  setFlagsFromString("--no-expose-gc")
  return () => {
    if (typeof collect === "function") collect({ type: "major", execution: "sync", flavor: "last-resort" })
  }
}

/** Decides when to collect, from the part of each interval in which the service worked. */
export const makeDecision = (): ((utilization: number, now: number) => boolean) => {
  // The start is the first busy time.
  let wasBusy = true
  let last = Number.NEGATIVE_INFINITY
  return (utilization, now) => {
    wasBusy ||= utilization >= busy
    if (!wasBusy || utilization > idle || now - last < pause) return false
    wasBusy = false
    last = now
    return true
  }
}

/** Collects at such times, until the returned function is called. */
export const begin = (): (() => void) => {
  const isDue = makeDecision()
  let before = performance.eventLoopUtilization()
  let collect: (() => void) | undefined
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    if (!isDue(utilization, performance.now()) || getHeapStatistics().used_heap_size > largeHeap) return
    collect ??= find()
    collect()
  }, interval).unref()
  return () => clearInterval(timer)
}
