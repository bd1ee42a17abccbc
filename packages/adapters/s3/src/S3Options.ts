/**
 * How a bucket of S3, or of a compatible service, is reached and used.
 */
import type { RequestOptions } from "@holdfast/outbound/RequestOptions"
import type * as Redacted from "effect/Redacted"

/** Keys of an account. The secrets appear in no log and no error. */
export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted
  readonly sessionToken?: Redacted.Redacted | undefined
}

/** How contents are divided into parts. */
export interface PartOptions {
  /**
   * Bytes of one part. A smaller content is sent in one request, a larger one in up to 10,000 parts. The largest blob
   * of a store therefore has 10,000 times as many bytes. A mirror uses larger parts for an object that would need more
   * of them. Default: 8 MiB. S3's minimum is 5 MiB, which also replaces smaller values.
   */
  readonly partBytes?: number | undefined
  /**
   * How many parts of one content are read or sent at a time. A `put` or `write` uses at most `partBytes *
   * partConcurrency` bytes of memory. A mirror sends the parts of an object of more than 10,000 `partBytes` one at a
   * time, since they are larger. Default: 3.
   */
  readonly partConcurrency?: number | undefined
}

/** Options of a store. */
export interface Options extends PartOptions, RequestOptions {
  /** Must exist. Versioning is not needed: it keeps what was removed. */
  readonly bucket: string
  /** Such as `eu-central-1`. Most services other than Amazon's accept any region, such as `us-east-1`. */
  readonly region: string
  /** The URL of a service other than Amazon's. */
  readonly endpoint?: string | undefined
  /**
   * Whether the bucket is part of the path instead of the host name, which most other services require. Default: false.
   */
  readonly forcePathStyle?: boolean | undefined
  /** When absent the SDK finds them: environment, profile, role of the container or the machine. */
  readonly credentials?: Credentials | undefined
  /** Prefix of every key, including a slash if it is to be a folder. Default: none. */
  readonly prefix?: string | undefined
  /**
   * Whether the SDK adds its own checksum headers and trailers, which many compatible services refuse. Default:
   * `WHEN_REQUIRED`. Every request with bytes has a checksum either way.
   */
  readonly requestChecksumCalculation?: "WHEN_SUPPORTED" | "WHEN_REQUIRED" | undefined
}

/** Options of all mirror targets of a deployment. The location of each target is part of its mirror. */
export interface MirrorOptions extends PartOptions, RequestOptions {
  /**
   * Whether targets may have addresses that are not on the public Internet, such as those of the deployment's own
   * network.
   */
  readonly allowPrivate: boolean
  /**
   * Bytes above which an object is copied onto itself in parts when its description changes. Default: 5 GiB, which is
   * the most that S3 copies at once. A value below 5 MiB counts as 5 MiB.
   */
  readonly copyBytes?: number | undefined
}
