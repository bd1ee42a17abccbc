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
  /** Elapsed time of the run, without the time for which it was suspended. */
  readonly wallTime: Duration.Duration
  /** Processor time of the run, summed over all processors. */
  readonly cpuTime: Duration.Duration
  /** Address space of the transcoder's process, in bytes. Each thread needs some of it. */
  readonly memoryBytes: number
  /** Threads of each decoder and each encoder. */
  readonly threads: number
}

/** Enough for a film in 4K. A picture in 8K has twice as many pixels as these permit. */
export const defaults: Limits = {
  duration: Duration.hours(8),
  pixels: 4096 * 4096,
  outputBytes: 16 * 1024 ** 3,
  wallTime: Duration.hours(2),
  cpuTime: Duration.hours(4),
  memoryBytes: 4 * 1024 ** 3,
  threads: 4
}
