/**
 * Limits of one run of a transcoder on an untrusted file.
 */
import * as Duration from "effect/Duration"

export interface Limits {
  /** Of the media. */
  readonly duration: Duration.Duration
  /** Of one coded picture. */
  readonly pixels: number
  /** Of all output files. */
  readonly outputBytes: number
  /** Elapsed time of the run. */
  readonly wallTime: Duration.Duration
  /** Processor time of the run, summed over all processors. */
  readonly cpuTime: Duration.Duration
  /** Address space of the transcoder's process, in bytes. Each thread needs some of it. */
  readonly memoryBytes: number
  /** Threads of each decoder and each encoder. */
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
