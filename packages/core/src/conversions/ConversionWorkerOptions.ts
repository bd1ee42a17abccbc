/**
 * How a worker of conversions works.
 */
import * as Duration from "effect/Duration"
import type { Limits } from "../transcoding/Limits.ts"

export interface ConversionWorkerOptions {
  /** How many conversions this process runs at once; each may keep several processors busy. */
  readonly concurrency: number
  /** How long a conversion stays this worker's after it was last heard of; renewed every third of it. */
  readonly lease: Duration.Duration
  /** How often to look for work that other processes were asked for. */
  readonly poll: Duration.Duration
  /** How long to wait between two publications of one conversion; the first one does not wait. */
  readonly publishEvery: Duration.Duration
  /** How often a conversion is tried when what is around it fails, a death of the process included. */
  readonly tries: number
  /** How long to wait before the second try; each further one waits twice as long. */
  readonly retryAfter: Duration.Duration
  /** Segments that are sent to the blob store at once. */
  readonly uploads: number
  /** What one conversion may cost, where it differs from the transcoder's own limits. */
  readonly limits: Partial<Limits>
}

export const defaults: ConversionWorkerOptions = {
  concurrency: 1,
  lease: Duration.seconds(30),
  poll: Duration.seconds(1),
  publishEvery: Duration.seconds(1),
  tries: 3,
  retryAfter: Duration.seconds(10),
  uploads: 4,
  limits: {}
}
