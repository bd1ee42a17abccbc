/**
 * What one piece of work on a file from a stranger may cost.
 */
import * as Duration from "effect/Duration"

export interface Limits {
  /** How long the media may play. */
  readonly duration: Duration.Duration
  /** Pixels of one coded picture. */
  readonly pixels: number
  /** Bytes of the whole result. */
  readonly outputBytes: number
  /** Until the work is given up, by the clock. */
  readonly wallTime: Duration.Duration
  /** Time on processors, all of them together. */
  readonly cpuTime: Duration.Duration
  /** Address space of the process that does the work, in bytes; every thread takes its share. */
  readonly memoryBytes: number
  /** Threads that each decoder and encoder may use. */
  readonly threads: number
}

/** Enough for a film of eight hours in 8K. */
export const defaults: Limits = {
  duration: Duration.hours(8),
  pixels: 8192 * 4320,
  outputBytes: 128 * 1024 ** 3,
  wallTime: Duration.hours(12),
  cpuTime: Duration.hours(24),
  memoryBytes: 4 * 1024 ** 3,
  threads: 4
}
