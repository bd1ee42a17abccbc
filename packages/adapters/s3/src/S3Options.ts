/**
 * How a bucket of S3, or of a service compatible with it, is reached and used.
 */
import type * as Duration from "effect/Duration"
import type * as Redacted from "effect/Redacted"

/** Keys of an account; the secrets reach no log and no error. */
export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted
  readonly sessionToken?: Redacted.Redacted | undefined
}

export interface Options {
  /** Must exist. Versioning is not needed: it keeps what was removed. */
  readonly bucket: string
  /** Such as `eu-central-1`; services other than Amazon's mostly take any, as `us-east-1`. */
  readonly region: string
  /** The URL of a service other than Amazon's. */
  readonly endpoint?: string | undefined
  /** Whether the bucket stands in the path instead of the host name, as most other services want. No when absent. */
  readonly forcePathStyle?: boolean | undefined
  /** When absent the SDK looks for them: environment, profile, role of the container or the machine. */
  readonly credentials?: Credentials | undefined
  /** Stands before every key, with its slash if it is to have one. None when absent. */
  readonly prefix?: string | undefined
  /**
   * Bytes of one part. A content below it goes in one request, a larger one in up to 10,000 parts, so that this is also
   * the 10,000th part of the largest content. 8 MiB when absent; less than S3's minimum of 5 MiB counts as 5 MiB.
   */
  readonly partBytes?: number | undefined
  /**
   * Parts of one content that are filled or sent at once. A `put` holds at most `partBytes * partConcurrency` bytes.
   * 3 when absent.
   */
  readonly partConcurrency?: number | undefined
  /**
   * Whether the SDK adds checksum headers and trailers of its own accord, which many compatible services refuse.
   * `WHEN_REQUIRED` when absent: every request that brings bytes has a checksum in any case.
   */
  readonly requestChecksumCalculation?: "WHEN_SUPPORTED" | "WHEN_REQUIRED" | undefined
  /**
   * How often the SDK makes one request that fails in passing. 3 when absent. Nobody further out can repeat the request
   * of a part, since a content's stream is read only once.
   */
  readonly maxAttempts?: number | undefined
  /**
   * Connections at the most; further requests wait. Every reader has one until its stream ends, so that this should be
   * more than there are readers. 500 when absent.
   */
  readonly maxConnections?: number | undefined
  /** How long a connection may take to open; 5 seconds when absent. */
  readonly connectTimeout?: Duration.Input | undefined
  /**
   * How long nothing may move over a connection in use before its request fails; a minute when absent. It also ends a
   * stream whose reader pauses that long.
   */
  readonly idleTimeout?: Duration.Input | undefined
}
