/**
 * How mirrors' targets are used; where they are is said by whoever sets a mirror up.
 */
import type * as Duration from "effect/Duration"

export interface Options {
  /** Whether targets may be at addresses that are not on the public Internet, as in one's own network. */
  readonly allowPrivate: boolean
  /**
   * Bytes of one part. An object below it goes in one request, a larger one in up to 10,000 parts. The parts of an
   * object that would need more are larger. 8 MiB when absent; less than S3's minimum of 5 MiB counts as 5 MiB.
   */
  readonly partBytes?: number | undefined
  /**
   * Parts of one object that are filled or sent at once. A `write` holds as many; one of more than 10,000 `partBytes`,
   * whose parts are larger, holds one. 3 when absent.
   */
  readonly partConcurrency?: number | undefined
  /**
   * Bytes above which an object is copied onto itself in parts when its description changes. 5 GiB when absent, which is
   * the most that S3 copies at once; less than 5 MiB counts as 5 MiB.
   */
  readonly copyBytes?: number | undefined
  /** How often the SDK makes one request that fails in passing. 3 when absent. */
  readonly maxAttempts?: number | undefined
  /** Connections to one target at the most; further requests wait. 50 when absent. */
  readonly maxConnections?: number | undefined
  /** How long a connection may take to open; 5 seconds when absent. */
  readonly connectTimeout?: Duration.Input | undefined
  /** How long nothing may move over a connection in use before its request fails; a minute when absent. */
  readonly idleTimeout?: Duration.Input | undefined
}
