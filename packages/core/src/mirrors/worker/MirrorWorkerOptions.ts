/**
 * How a worker of mirrors works.
 */
import * as Duration from "effect/Duration"

export interface MirrorWorkerOptions {
  /** Files that this process copies at once. */
  readonly concurrency: number
  /** Those of one mirror among them. */
  readonly slots: number
  /** How long a file stays this worker's after it was last heard of; renewed every third of it. */
  readonly lease: Duration.Duration
  /** How often to look for work that other processes have made. */
  readonly poll: Duration.Duration
  /** How long to wait after the first failure; each further one waits twice as long. */
  readonly retryAfter: Duration.Duration
  /** The longest wait between two tries. There is no last try. */
  readonly retryAtMost: Duration.Duration
  /** Rows that one step takes when a mirror is filled or cleared. */
  readonly step: number
}

export const defaults: MirrorWorkerOptions = {
  concurrency: 16,
  slots: 8,
  lease: Duration.seconds(30),
  poll: Duration.seconds(2),
  retryAfter: Duration.seconds(1),
  retryAtMost: Duration.minutes(5),
  step: 2000
}

/** How long to wait after this many failures in a row. */
export const waitAfter = (
  failures: number,
  { retryAfter, retryAtMost }: Pick<MirrorWorkerOptions, "retryAfter" | "retryAtMost">
): Duration.Duration =>
  Duration.min(retryAtMost, Duration.times(retryAfter, 2 ** Math.min(Math.max(failures - 1, 0), 30)))
