/**
 * Limits V8's space for new objects, as `--max-semi-space-size=16` does. By default it grows with the size of the machine's memory: to
 * 128 MiB with 24 GiB. V8 reads that option only while it starts; it reads the factor by which the space grows each time.
 */
import { PerformanceObserver } from "node:perf_hooks"
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8"

/** Bytes. Both halves of the space together. */
export const limit = 32 * 1024 ** 2

const configured = /--(?:max|min)[-_]semi[-_]space[-_]size|--semi[-_]space[-_]growth[-_]factor/

const size = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")?.space_size ?? 0

/**
 * Limits the space until the returned function is called. Does nothing if the operator has configured the space.
 *
 * @param options Options of the process for Node.
 */
export const enforce = (options: ReadonlyArray<string>): (() => void) => {
  if (options.some((option) => configured.test(option))) return () => {}
  // V8's default. A space that V8 has made smaller, because the process was idle, has to grow again.
  let factor = 2
  const grow = (next: number): void => {
    if (next === factor) return
    factor = next
    setFlagsFromString(`--semi-space-growth-factor=${next}`)
  }
  const observer = new PerformanceObserver(() => grow(size() < limit ? 2 : 1))
  observer.observe({ type: "gc" })
  return () => {
    observer.disconnect()
    grow(2)
  }
}
