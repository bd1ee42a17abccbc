/**
 * Verifies the token of a share that a request presents.
 */
import type { Access } from "@holdfast/core/access/Access"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { ShareGrant } from "@holdfast/core/files/shares/Share"
import { ShareUse } from "@holdfast/core/files/shares/ShareUse"
import type { Rates } from "@holdfast/core/rates/Rates"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as ActorIdentification from "./ActorIdentification.ts"
import * as RequestRates from "./RequestRates.ts"

/** Makes the function that identifies the holder of a share of a bucket. */
export const make: Effect.Effect<
  (
    request: Context.Context<ActorIdentification.RequestServices>,
    token: string,
    bucket: BucketRef
  ) => Effect.Effect<ShareGrant, ActorIdentification.IdentificationError>,
  never,
  ShareUse | Access | Rates
> = Effect.gen(function* () {
  const shares = yield* ShareUse
  const rates = yield* RequestRates.make
  return (request, token, bucket) => rates.findRefusal(request) ?? rates.apply(request, shares.verify(token, bucket))
})
