/**
 * Options of the conversion worker.
 */
import * as Duration from "effect/Duration"
import type { Limits } from "../../transcoding/Limits.ts"

export interface ConversionWorkerOptions {
  /** Conversions that this process runs at once. Each may use several processors. */
  readonly concurrency: number
  /**
   * How long a conversion runs before it has to give way to one of another tenant that waits. It is suspended then, and
   * continues in turn.
   */
  readonly slice: Duration.Duration
  /** Conversions that may be suspended, for each that runs at once. They keep their memory and their working files. */
  readonly suspendedPerSlot: number
  /** How long a claim is valid without renewal. The worker renews it every third of this time. */
  readonly lease: Duration.Duration
  /** How often an idle worker polls for conversions that other processes were asked for. */
  readonly pollInterval: Duration.Duration
  /** Time between two publications of one conversion. The first publication does not wait. */
  readonly publishInterval: Duration.Duration
  /** Attempts before a conversion is FAILED for a reason outside its content, such as a full disk or a killed converter. */
  readonly maxAttempts: number
  /**
   * Interruptions before a conversion is FAILED: claims whose process died. Processes die for many reasons, so that only many
   * deaths prove that the conversion is one of them.
   */
  readonly maxInterruptions: number
  /** Delay before the second attempt. It doubles with each further attempt. */
  readonly retryDelay: Duration.Duration
  /**
   * How long after a copy is READY its ladder may be made. A player that follows the growing playlist of the copy loads it once more
   * within this time; it fails if the playlist is a multivariant one by then.
   */
  readonly ladderDelay: Duration.Duration
  /** Segments of one conversion that are sent to the blob store at once. */
  readonly uploadConcurrency: number
  /** Limits of one conversion that differ from the transcoder's own. */
  readonly limits: Partial<Limits>
}

export const defaults: ConversionWorkerOptions = {
  concurrency: 1,
  slice: Duration.seconds(20),
  suspendedPerSlot: 2,
  lease: Duration.seconds(30),
  pollInterval: Duration.seconds(1),
  publishInterval: Duration.seconds(1),
  maxAttempts: 3,
  maxInterruptions: 20,
  retryDelay: Duration.seconds(10),
  ladderDelay: Duration.seconds(20),
  uploadConcurrency: 4,
  limits: {}
}
