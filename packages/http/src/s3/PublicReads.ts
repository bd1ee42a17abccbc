/**
 * Requests without a signature: they read objects of public buckets, and nothing else.
 *
 * The name of a bucket belongs to a tenant, which such a request does not name otherwise. It names the bucket by the ids of both,
 * `TENANT.BUCKET`, which stay the same when one of them gets another name.
 *
 * Whatever it does not read has one answer: that to a request that must be signed. So the answer does not show whether a bucket or an
 * object exists. `Access` decides whether a bucket is public.
 */
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { CurrentRequest } from "@holdfast/core/access/CurrentRequest"
import { onBehalfOf } from "@holdfast/core/CurrentTenant"
import { NotFound } from "@holdfast/core/Errors"
import * as Ids from "@holdfast/core/Ids"
import { Rates } from "@holdfast/core/rates/Rates"
import * as Effect from "effect/Effect"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import * as AddressGroup from "../incoming/AddressGroup.ts"
import type { CallError, PublicCall } from "./Call.ts"
import type { HandlePublic } from "./Operation.ts"
import * as SignatureFields from "./signature/SignatureFields.ts"

/** Returns the bucket that a name names by ids; undefined for any other name. */
const parseName = (name: string): BucketRef | undefined => {
  const [tenantId = "", bucketId = "", ...more] = name.split(".")
  return more.length === 0 && Ids.is("ten", tenantId) && Ids.is("bkt", bucketId) ? { tenantId, bucketId } : undefined
}

/** The parameters that change the answer: a signature covers them, so that only the holder of its key can set them. */
const changesAnswer = ({ query }: Pick<PublicCall, "query">): boolean =>
  [...query.keys()].some((name) => name.startsWith("response-"))

/** Makes the function that answers a request without a signature. `handle` is that of its operation; undefined where it has none. */
export const make: Effect.Effect<
  (
    call: Omit<PublicCall, "bucket"> & { readonly bucket: string },
    handle: HandlePublic | undefined
  ) => Effect.Effect<HttpServerResponse, CallError, Scope.Scope>,
  never,
  Rates
> = Effect.gen(function* () {
  const rates = yield* Rates

  /** Counts a request for its client address. The host of a mounted API may know none: then there is no rate. */
  const admit = Effect.flatMap(CurrentRequest, ({ clientAddress }) =>
    clientAddress === undefined
      ? Effect.void
      : rates.admit({ credentialId: undefined, tenantId: undefined, client: AddressGroup.of(clientAddress) })
  )

  return Effect.fnUntraced(function* ({ bucket: name, ...call }, handle) {
    const bucket = parseName(name)
    if (handle === undefined || bucket === undefined || changesAnswer(call)) {
      return yield* SignatureFields.unsigned
    }
    yield* admit
    return yield* Effect.catchIf(
      onBehalfOf(bucket.tenantId)(handle({ ...call, bucket })),
      (error) => error instanceof NotFound,
      () => Effect.fail(SignatureFields.unsigned)
    )
  })
})
