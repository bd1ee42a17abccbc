/**
 * Where a mirror's target is, with the credentials that open it.
 */
import type * as Redacted from "effect/Redacted"

/** A bucket of Amazon S3 or of a service compatible with it. */
export interface S3Location {
  readonly type: "CLOUD_A"
  readonly region: string
  readonly bucketName: string
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted
  /** The address of a compatible service, with its scheme; Amazon's own when absent. */
  readonly endpoint?: string | undefined
  /** Whether the bucket is named in the path and not in the host; of use with an endpoint. */
  readonly forcePathStyle?: boolean | undefined
}

/** A container of Azure Blob Storage. */
export interface AzureLocation {
  readonly type: "CLOUD_B"
  readonly accountName: string
  readonly containerName: string
  readonly accountKey: Redacted.Redacted
  /** The address of the account's blob service; `https://<accountName>.blob.core.windows.net` when absent. */
  readonly endpoint?: string | undefined
}

/** A bucket of Google Cloud Storage. */
export interface GcsLocation {
  readonly type: "CLOUD_C"
  readonly projectId: string
  readonly bucketName: string
  /** A service account's JSON document. */
  readonly credentials: Redacted.Redacted
  /** The address of a compatible service; Google's own when absent. */
  readonly endpoint?: string | undefined
}

export type TargetLocation = S3Location | AzureLocation | GcsLocation
