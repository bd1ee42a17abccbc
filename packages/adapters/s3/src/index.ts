/**
 * The adapters for the Promise API: `open({ blobs: s3({ bucket, region }), mirrors: [s3Mirrors()], … })`.
 */
import type { BlobsAdapter } from "@holdfast/core"
import type { Open } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { S3Location } from "@holdfast/core/mirrors/targets/types/S3TargetType"
import * as Redacted from "effect/Redacted"
import * as S3BlobStore from "./S3BlobStore.ts"
import * as S3MirrorTarget from "./S3MirrorTarget.ts"
import type * as S3Options from "./S3Options.ts"

/** Stores contents in a bucket of S3 or of a compatible service. Any number of processes may share the bucket. */
export const s3 = ({
  credentials,
  ...options
}: Omit<S3Options.Options, "credentials"> & {
  /** When absent the SDK finds them. The secrets appear in no log and no error. */
  readonly credentials?:
    | { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string | undefined }
    | undefined
}): BlobsAdapter => ({
  blobs: S3BlobStore.layer({
    ...options,
    credentials: credentials && {
      accessKeyId: credentials.accessKeyId,
      secretAccessKey: Redacted.make(credentials.secretAccessKey),
      sessionToken: credentials.sessionToken === undefined ? undefined : Redacted.make(credentials.sessionToken)
    }
  })
})

/**
 * Permits mirrors to buckets of S3 and of compatible services. Their addresses must be on the public Internet unless
 * `allowPrivate` is set.
 */
export const s3Mirrors = (
  options: Partial<S3Options.MirrorOptions> = {}
): { readonly targets: { readonly S3: Open<S3Location> } } => ({
  targets: { S3: S3MirrorTarget.open({ allowPrivate: false, ...options }) }
})
