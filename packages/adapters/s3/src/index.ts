/**
 * The adapters for the Promise API: `open({ blobs: s3({ bucket, region }), mirrors: [s3Mirrors()], … })`.
 */
import type { BlobsAdapter } from "@holdfast/core"
import * as Is from "@holdfast/core/inputs/OptionChecks"
import type { Open } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { S3Location } from "@holdfast/core/mirrors/targets/types/S3TargetType"
import * as AdapterOptions from "@holdfast/core/promises/AdapterOptions"
import * as Endpoint from "@holdfast/outbound/Endpoint"
import * as RequestOptions from "@holdfast/outbound/RequestOptions"
import * as Redacted from "effect/Redacted"
import * as S3BlobStore from "./S3BlobStore.ts"
import * as S3MirrorTarget from "./S3MirrorTarget.ts"
import type * as S3Options from "./S3Options.ts"

const partChecks: AdapterOptions.Checks<S3Options.PartOptions> = {
  partBytes: Is.count(1),
  partConcurrency: Is.count(1)
}

const checkStore = Is.record(
  {
    ...RequestOptions.checks,
    ...partChecks,
    bucket: Is.text,
    region: Is.when(
      (value) => typeof value === "string" && /^[a-z0-9][a-z0-9._-]*$/i.test(value),
      "must be the name of a region, such as eu-central-1"
    ),
    endpoint: Endpoint.check,
    forcePathStyle: Is.boolean,
    // Those of AWS's libraries also say when they expire, and whose they are.
    credentials: Is.partOf(
      {
        accessKeyId: Is.text,
        secretAccessKey: Is.text,
        sessionToken: Is.text
      } satisfies AdapterOptions.Checks<S3Options.Credentials>,
      { accessKeyId: "the id of an access key", secretAccessKey: "the secret of the access key" }
    ),
    prefix: Is.oneOf([""], Is.text),
    requestChecksumCalculation: Is.choice("WHEN_SUPPORTED", "WHEN_REQUIRED")
  } satisfies AdapterOptions.Checks<S3Options.Options>,
  { bucket: "the name of a bucket that exists", region: "such as eu-central-1" }
)

const checkMirrors = Is.record({
  ...RequestOptions.checks,
  ...partChecks,
  allowPrivate: Is.boolean,
  copyBytes: Is.count(0)
} satisfies AdapterOptions.Checks<S3Options.MirrorOptions>)

/**
 * Stores contents in a bucket of S3 or of a compatible service. Any number of processes may share the bucket. Throws `InvalidRequest` for
 * options that are not valid.
 */
export const s3 = (
  options: Omit<S3Options.Options, "credentials"> & {
    /** When absent the SDK finds them. The secrets appear in no log and no error. */
    readonly credentials?:
      | { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string | undefined }
      | undefined
  }
): BlobsAdapter => {
  const { credentials, ...others } = AdapterOptions.read("s3", options, checkStore)
  return {
    blobs: S3BlobStore.layer({
      ...others,
      credentials: credentials && {
        accessKeyId: credentials.accessKeyId,
        secretAccessKey: Redacted.make(credentials.secretAccessKey),
        sessionToken: credentials.sessionToken === undefined ? undefined : Redacted.make(credentials.sessionToken)
      }
    })
  }
}

/**
 * Permits mirrors to buckets of S3 and of compatible services. Their addresses must be on the public Internet unless
 * `allowPrivate` is set. Throws `InvalidRequest` for options that are not valid.
 */
export const s3Mirrors = (
  options: Partial<S3Options.MirrorOptions> = {}
): { readonly targets: { readonly S3: Open<S3Location> } } => {
  const given = AdapterOptions.read("s3Mirrors", options, checkMirrors)
  return { targets: { S3: S3MirrorTarget.open({ allowPrivate: false, ...given }) } }
}
