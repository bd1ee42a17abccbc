/**
 * Measures for how long a synchronous call blocks its thread by what it does: by its work, or by waiting for a device. On a busy
 * machine the thread also waits for a processor in the middle of a call, mostly for some milliseconds, and another thread would
 * wait as long. Linux alone counts what distinguishes the two; elsewhere all time counts.
 */

/** Starts a measurement. The function that it returns ends it and returns milliseconds. */
export type Start = () => () => number

export interface Clocks {
  /** Returns the time of the monotonic clock in milliseconds. */
  readonly now: () => number
  /** Returns the processor time of the calling thread in milliseconds. */
  readonly processorTime: () => number
  /** Returns how often this process has read from a device. */
  readonly deviceReads: () => number
}

/** Returns those of this process; undefined when it cannot have all of them. Node.js has `threadCpuUsage` from version 23.9 on. */
const ofProcess = (): Clocks | undefined =>
  process.platform === "linux" && typeof process.threadCpuUsage === "function"
    ? {
        now: () => performance.now(),
        processorTime: () => {
          const { system, user } = process.threadCpuUsage()
          return (system + user) / 1000
        },
        deviceReads: () => process.resourceUsage().fsRead
      }
    : undefined

const wallTime: Start = () => {
  const begin = performance.now()
  return () => performance.now() - begin
}

/** For how many calls the processor time is measured after one that was long. */
const measuredCalls = 1000

/**
 * Makes the measurement. To ask for the processor time takes as long as some reads, therefore it is measured for a while after a
 * long call only: the first one whose time is unknown counts as having waited for a processor.
 *
 * @param leastMillis Up to so many milliseconds the result is the time that has passed, whatever the reason.
 */
export const make = (leastMillis: number, clocks: Clocks | undefined = ofProcess()): Start => {
  if (clocks === undefined) return wallTime
  const { deviceReads, now, processorTime } = clocks
  // Compared after long calls only, because to read the counter takes some microseconds. A device read that another call or thread
  // has made since the last comparison counts as one of the call.
  let reads = deviceReads()
  let measured = 0
  return () => {
    const begin = now()
    const work = measured > 0 ? processorTime() : undefined
    if (measured > 0) measured -= 1
    return () => {
      const passed = now() - begin
      if (passed <= leastMillis) return passed
      measured = measuredCalls
      const before = reads
      reads = deviceReads()
      if (reads !== before) return passed
      return work === undefined ? 0 : processorTime() - work
    }
  }
}
