/**
 * The options of a mirror worker.
 */
import * as Duration from "effect/Duration"

export interface MirrorWorkerOptions {
  /** Files that this process copies at once. */
  readonly concurrency: number
  /** Files of one mirror among them. */
  readonly slotsPerMirror: number
  /** Reconciliations that list their target at once in this process. They take turns. */
  readonly reconciliations: number
  /** Reconciliations of one tenant among them. */
  readonly reconciliationsPerTenant: number
  /** How long a lease on a task lasts after it was last renewed. The worker renews it after each third of this time. */
  readonly lease: Duration.Duration
  /** The interval between two searches for work that other processes have created. */
  readonly pollInterval: Duration.Duration
  /** The delay before the first retry. It doubles with each further failure. */
  readonly minBackoff: Duration.Duration
  /** The longest delay between two attempts. The number of attempts has no limit. */
  readonly maxBackoff: Duration.Duration
  /** Files or tasks that one transaction changes: creates, makes due, or deletes with their mirror. */
  readonly batchSize: number
}

export const defaults: MirrorWorkerOptions = {
  concurrency: 16,
  slotsPerMirror: 8,
  reconciliations: 8,
  reconciliationsPerTenant: 2,
  lease: Duration.seconds(30),
  pollInterval: Duration.seconds(2),
  minBackoff: Duration.seconds(1),
  maxBackoff: Duration.minutes(5),
  batchSize: 1000
}

/** Returns the delay before the next attempt after this many consecutive failures. */
export const backoff = (
  failures: number,
  { maxBackoff, minBackoff }: Pick<MirrorWorkerOptions, "minBackoff" | "maxBackoff">
): Duration.Duration =>
  Duration.min(maxBackoff, Duration.times(minBackoff, 2 ** Math.min(Math.max(failures - 1, 0), 30)))
