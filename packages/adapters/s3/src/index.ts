/**
 * The adapter for programs that do not use Effect: `open({ blobs: s3({ bucket, region }), … })`.
 */
import type { BlobsAdapter } from "@holdfast/core"
import * as Redacted from "effect/Redacted"
import * as S3BlobStore from "./S3BlobStore.ts"
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
