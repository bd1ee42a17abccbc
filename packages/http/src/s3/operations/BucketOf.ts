/**
 * Finds the bucket that a request names.
 */
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { Buckets } from "@holdfast/core/buckets/Buckets"
import * as Trace from "@holdfast/core/mirrors/targets/Trace"
import * as Effect from "effect/Effect"
import type { Call, CallError } from "../Call.ts"
import { S3Error, table } from "../S3Error.ts"

/** The parts of a call that name a bucket. */
export type BucketCall = Pick<Call, "actor" | "bucket" | "headers" | "tenantId">

const noBucket = S3Error.of("NoSuchBucket")
const otherOwner = S3Error.of(
  "AccessDenied",
  "The bucket does not belong to the account of x-amz-expected-bucket-owner."
)

/** The refusal of a copy that mirrors bring back to the bucket from which it came. The mirror learns the id of the bucket. */
const loopAt = (bucketId: string) =>
  new S3Error({ code: "MirrorLoop", message: table.MirrorLoop.message, fields: { BucketId: bucketId } })

/** Makes the function that finds the bucket of a call. */
export const make = Effect.map(Buckets, (buckets) =>
  Effect.fnUntraced(function* (call: BucketCall): Effect.fn.Return<BucketRef, CallError> {
    const { actor, headers, tenantId } = call
    const found = yield* Effect.catchTag(buckets.findByName(actor, tenantId, call.bucket), "NotFound", () =>
      Effect.fail(noBucket)
    )
    const owner = headers["x-amz-expected-bucket-owner"]
    if (owner !== undefined && owner !== tenantId) return yield* otherOwner
    const trace = Trace.parse(headers[Trace.header])
    if (trace?.bucketIds.includes(found.id) === true) return yield* loopAt(found.id)
    return { tenantId, bucketId: found.id }
  })
)
