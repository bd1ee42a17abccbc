/**
 * How a bucket of Google Cloud Storage is reached and used.
 */
import type * as Duration from "effect/Duration"
import type * as Redacted from "effect/Redacted"

/** How much of what, and how long. */
export interface Limits {
  /**
   * Bytes of one request. A content that fits goes in one request, a larger one in a resumable upload. An upload holds
   * two of them: one that is sent and one that fills. 8 MiB when absent; rounded down to a multiple of 256 KiB, which is
   * also the least.
   */
  readonly chunkBytes?: number | undefined
  /**
   * How often one request that fails in passing is made. 3 when absent. Nobody further out can repeat the request of a
   * chunk, since a content's stream is read only once.
   */
  readonly maxAttempts?: number | undefined
  /** How long a connection may take to open; 5 seconds when absent. */
  readonly connectTimeout?: Duration.Input | undefined
  /**
   * How long nothing may move over a connection in use before its request fails; a minute when absent. It also ends a
   * stream whose reader pauses that long.
   */
  readonly idleTimeout?: Duration.Input | undefined
}

export interface Options extends Limits {
  /** Must exist. Versioning and soft deletion are not needed: they keep what was removed. */
  readonly bucket: string
  /**
   * The JSON document of a service account's key, as Google's console gives it; it reaches no log and no error. When
   * absent Google's SDK looks for credentials: environment, machine, workload identity.
   */
  readonly credentials?: Redacted.Redacted | undefined
  /** The project that pays for requests where a bucket leaves that to who asks. None when absent. */
  readonly projectId?: string | undefined
  /** The URL of a service other than Google's own address: a private one, or an emulator. */
  readonly endpoint?: string | undefined
  /** Stands before every key, with its slash if it is to have one. None when absent. */
  readonly prefix?: string | undefined
  /**
   * Connections at the most; further requests wait. Every reader has one until its stream ends, so that this should be
   * more than there are readers. 500 when absent.
   */
  readonly maxConnections?: number | undefined
}
