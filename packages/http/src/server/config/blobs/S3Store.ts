/**
 * Amazon S3 and services of its protocol as the store of contents.
 */
import type * as S3Options from "@holdfast/s3/S3Options"
import * as Result from "effect/Result"
import type { ConfigFault } from "../ConfigError.ts"
import { optional, withDefault } from "../Setting.ts"
import * as SettingType from "../SettingType.ts"
import * as WebTypes from "../WebTypes.ts"
import { name, prefix, printable, secret } from "./StoreSettingTypes.ts"
import * as StoreType from "./StoreType.ts"

export const s3 = StoreType.make({
  name: "s3",
  product: "Amazon S3 or a compatible service",
  settings: {
    s3Bucket: optional(["HOLDFAST_S3_BUCKET"], name, "S3 bucket for file contents. It must exist."),
    s3Region: withDefault(["HOLDFAST_S3_REGION", "AWS_REGION"], name, "us-east-1", "Region of the S3 bucket."),
    s3Endpoint: optional(
      ["HOLDFAST_S3_ENDPOINT"],
      WebTypes.baseUrl,
      "URL of an S3-compatible service. If unset, Amazon S3 is used."
    ),
    s3ForcePathStyle: withDefault(
      ["HOLDFAST_S3_FORCE_PATH_STYLE"],
      SettingType.onOff,
      "off",
      "Whether request URLs carry the bucket in the path instead of the host name. Most S3-compatible services need it."
    ),
    s3AccessKeyId: optional(
      ["HOLDFAST_S3_ACCESS_KEY_ID"],
      name,
      "Access key that may read and write the S3 bucket. If unset, the AWS SDK finds credentials in the environment, the profile or the role of the machine."
    ),
    s3SecretAccessKey: optional(
      ["HOLDFAST_S3_SECRET_ACCESS_KEY"],
      secret("a secret access key", printable, "S3SecretAccessKey"),
      "Secret of the access key."
    ),
    s3Prefix: prefix("HOLDFAST_S3_PREFIX")
  },
  bucket: "s3Bucket",
  resolve: (values, { fail, missing, variable }): Result.Result<S3Options.Options, ConfigFault> => {
    const { s3AccessKeyId: accessKeyId, s3Bucket: bucket, s3SecretAccessKey: secretAccessKey } = values
    if (bucket === undefined) return missing("s3Bucket")
    if (accessKeyId === undefined && secretAccessKey !== undefined) {
      return fail("s3AccessKeyId", `must be set together with ${variable("s3SecretAccessKey")}`)
    }
    if (accessKeyId !== undefined && secretAccessKey === undefined) {
      return fail("s3SecretAccessKey", `must be set together with ${variable("s3AccessKeyId")}`)
    }
    return Result.succeed({
      bucket,
      region: values.s3Region,
      endpoint: values.s3Endpoint,
      forcePathStyle: values.s3ForcePathStyle,
      prefix: values.s3Prefix,
      credentials:
        accessKeyId === undefined || secretAccessKey === undefined ? undefined : { accessKeyId, secretAccessKey }
    })
  },
  package: "@holdfast/s3",
  load: async (options: S3Options.Options) => (await import("@holdfast/s3/S3BlobStore")).layer(options)
})
