/**
 * The messages between the benchmark and the process that sends requests of the S3 protocol.
 */
import * as Schema from "effect/Schema"
import type { Protocol } from "../processes/Jobs.ts"
import { Gateway } from "./SdkUploadJob.ts"

export const S3Job = Schema.Struct({
  gateway: Gateway,
  bucket: Schema.String,
  /** `parts`: a multipart upload; `bucket`: creates the bucket. */
  kind: Schema.Literals(["bucket", "put", "get", "parts", "list"]),
  /** The prefix of the keys of objects, which end with the number of the request; the prefix of a list. */
  prefix: Schema.String,
  /** Of a list; empty for none. */
  delimiter: Schema.String,
  /** Bytes of each object. */
  bytes: Schema.Int,
  count: Schema.Int,
  /** Requests at the same time; of a multipart upload: uploads. */
  concurrency: Schema.Int
})
export type S3Job = typeof S3Job.Type

/** The wall time of the requests, and the processor time of the client. */
const S3JobResult = Schema.Struct({ wallMs: Schema.Finite, cpuMs: Schema.Finite })
export type S3JobResult = typeof S3JobResult.Type

export const protocol: Protocol<S3Job, S3JobResult> = { job: S3Job, result: S3JobResult }
