/**
 * The adapters for programs that do not use Effect: `open({ blobs: s3({ bucket, region }), mirrors: [s3Mirrors()], … })`.
 */
import type { BlobsAdapter } from "@holdfast/core"
import type { Open } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { S3Location } from "@holdfast/core/mirrors/targets/types/S3TargetType"
import * as Redacted from "effect/Redacted"
import type * as MirrorOptions from "./MirrorOptions.ts"
import * as S3BlobStore from "./S3BlobStore.ts"
import * as S3MirrorTarget from "./S3MirrorTarget.ts"
import type * as S3Options from "./S3Options.ts"

/** Keeps contents in a bucket of S3 or of a service compatible with it, which any number of processes may share. */
export const s3 = ({
  credentials,
  ...options
}: Omit<S3Options.Options, "credentials"> & {
  /** When absent the SDK looks for them. They reach no log and no error. */
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
 * Lets buckets be mirrored to buckets of S3 and of services compatible with it: those at addresses on the public Internet,
 * unless `allowPrivate` is set.
 */
export const s3Mirrors = (
  options: Partial<MirrorOptions.Options> = {}
): { readonly targets: { readonly S3: Open<S3Location> } } => ({
  targets: { S3: S3MirrorTarget.open({ allowPrivate: false, ...options }) }
})
