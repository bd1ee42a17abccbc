/**
 * The messages between the benchmark and the process that uploads with the bare SDK.
 */
import * as Schema from "effect/Schema"
import type { Protocol } from "../processes/Jobs.ts"

/** A server of the S3 protocol. */
export const Gateway = Schema.Struct({
  endpoint: Schema.String,
  accessKeyId: Schema.String,
  secretAccessKey: Schema.String
})
export type Gateway = typeof Gateway.Type

export const SdkUploadJob = Schema.Struct({
  /** Is created first. */
  bucket: Schema.String,
  /** The path of the file whose content is uploaded. */
  file: Schema.String,
  /** How often the file is uploaded, each time under another name; 0 only creates the bucket. */
  count: Schema.Int,
  /** Uploads at the same time. */
  concurrency: Schema.Int
})
export type SdkUploadJob = typeof SdkUploadJob.Type

/** The wall time of the uploads, without the creation of the bucket. */
const SdkUploadResult = Schema.Struct({ wallMs: Schema.Finite })
export type SdkUploadResult = typeof SdkUploadResult.Type

export const protocol: Protocol<SdkUploadJob, SdkUploadResult> = { job: SdkUploadJob, result: SdkUploadResult }
