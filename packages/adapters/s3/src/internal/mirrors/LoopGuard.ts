/**
 * Refuses the copies that the target would refuse because they came from it, without sending their bytes. The first refusal of a target
 * has the id of its bucket.
 */
import type { MirrorObject } from "@holdfast/core/mirrors/targets/MirrorTarget"
import { property } from "@holdfast/outbound/Property"
import * as Effect from "effect/Effect"
import * as S3Failure from "../S3Failure.ts"

/** Makes the guard of one target. */
export const make = () => {
  let refusal: { readonly bucketId: string; readonly failure: S3Failure.S3Failure } | undefined

  const learn = (error: unknown) => {
    if (!S3Failure.isFailure(error) || error.kind !== "Loop") return
    const bucketId = property(error.cause, "BucketId")
    if (typeof bucketId === "string") refusal = { bucketId, failure: error }
  }

  return {
    /** Runs the write of an object, unless the object is known to come from the target. */
    run: <A, E, R>(
      { formerBucketIds = [] }: Pick<MirrorObject, "formerBucketIds">,
      write: Effect.Effect<A, E, R>
    ): Effect.Effect<A, E | S3Failure.S3Failure, R> =>
      Effect.suspend((): Effect.Effect<A, E | S3Failure.S3Failure, R> =>
        refusal !== undefined && formerBucketIds.includes(refusal.bucketId)
          ? Effect.fail(refusal.failure)
          : Effect.tapError(write, (error) => Effect.sync(() => learn(error)))
      )
  }
}
