/**
 * What the process with the bare SDK is told, and what it tells back.
 */
import * as Schema from "effect/Schema"

/** Where buckets are. */
export const Gateway = Schema.Struct({
  endpoint: Schema.String,
  accessKeyId: Schema.String,
  secretAccessKey: Schema.String
})
export type Gateway = typeof Gateway.Type

export const Job = Schema.Struct({
  /** It is made first. */
  bucket: Schema.String,
  /** The file whose content is put. */
  file: Schema.String,
  /** How often, under names of their own; none only makes the bucket. */
  count: Schema.Int,
  /** Objects that are put at once. */
  concurrency: Schema.Int
})
export type Job = typeof Job.Type

export const Answer = Schema.Union([Schema.Struct({ wallMs: Schema.Finite }), Schema.Struct({ error: Schema.String })])
export type Answer = typeof Answer.Type
