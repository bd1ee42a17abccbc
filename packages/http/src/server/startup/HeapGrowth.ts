/**
 * Limits how far V8's heap grows beyond what lives in it. V8 reads the sizes of its spaces only while it starts. It reads the factors by which
 * they grow each time.
 *
 * - The space for new objects begins with 2 MiB, both halves together. By default it grows when the modules of the program survive
 *   collections, to 16 MiB, which an idle service keeps. Here it grows only while collections follow each other closely, and
 *   no further than to 32 MiB, as with `--max-semi-space-size=16`: V8's own limit is 128 MiB with 24 GiB of memory.
 * - The space for old objects grows to 1.5 times what lives in it before it is collected. By default it may quadruple while that is small.
 */
import { constants, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks"
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8"

/** Bytes. The largest size of the space for new objects, both halves together. */
export const limit = 32 * 1024 ** 2

/** Milliseconds between two collections of new objects that follow each other closely: an idle service has one in some seconds. */
const closely = 100

/** Bytes. A heap of this size or larger grows as V8 chooses: its collections take long. */
const largeHeap = 256 * 1024 ** 2

/** Percent by which the space for old objects grows beyond what lives in it. */
const growth = 50

const configured =
  /--(?:(?:max|min)[-_]semi[-_]space[-_]size|semi[-_]space[-_]growth[-_]factor|heap[-_]growing[-_]percent)/

const isConfigured = (): boolean =>
  [...process.execArgv, process.env["NODE_OPTIONS"] ?? ""].some((option) => configured.test(option))

/** Whether a collection was one of new objects alone. The types of Node.js do not name `detail`, which its documentation does. */
const isMinor = (entry: PerformanceEntry): boolean =>
  Reflect.get(Object(Reflect.get(entry, "detail")), "kind") === constants.NODE_PERFORMANCE_GC_MINOR

const size = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")?.space_size ?? 0

/** Returns what sets a flag of V8 to a number, if that differs from the last one. */
const makeFlag = (name: string) => {
  let current: number | undefined
  return (value: number): void => {
    if (value === current) return
    current = value
    setFlagsFromString(`--${name}=${value}`)
  }
}

const setNewGrowth = makeFlag("semi-space-growth-factor")
const setOldGrowth = makeFlag("heap-growing-percent")

/** Keeps the space for new objects small while the modules of a service are loaded. Does nothing if the operator has configured the heap. */
export const begin = (): void => {
  if (!isConfigured()) setNewGrowth(1)
}

/** Limits the growth until the returned function is called. Does nothing if the operator has configured the heap. */
export const enforce = (): (() => void) => {
  if (isConfigured()) return () => {}
  let last = Number.NEGATIVE_INFINITY
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { startTime } = entry
      if (isMinor(entry)) {
        setNewGrowth(startTime - last < closely && size() < limit ? 2 : 1)
        last = startTime
      } else setOldGrowth(getHeapStatistics().used_heap_size < largeHeap ? growth : 0)
    }
  })
  setNewGrowth(1)
  setOldGrowth(growth)
  observer.observe({ type: "gc" })
  return () => {
    observer.disconnect()
    setNewGrowth(2)
    setOldGrowth(0)
  }
}
