/**
 * Identifies the reader of a content: an actor, the holder of a link or a share, or a client without a key. It verifies links but, as `ActorIdentification`, checks
 * no permission: the services do.
 */
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { Reader } from "@holdfast/core/files/links/Link"
import { isLinkKey, Links } from "@holdfast/core/files/links/Links"
import { isShareToken, type ShareUse } from "@holdfast/core/files/shares/ShareUse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as ActorIdentification from "./ActorIdentification.ts"
import * as AnonymousIdentification from "./AnonymousIdentification.ts"
import * as PresentedKey from "./PresentedKey.ts"
import * as RequestRates from "./RequestRates.ts"
import * as ShareIdentification from "./ShareIdentification.ts"

/** The services that identification uses. */
export type Services = ActorIdentification.Services | Links | ShareUse

/** Identifies the reader of a request for a content in this bucket. */
export type IdentifyReader = (
  request: Context.Context<ActorIdentification.RequestServices>,
  bucket: BucketRef
) => Effect.Effect<Reader, ActorIdentification.IdentificationError>

/**
 * A link precedes the actor that a host supplies: a user of the host who follows a link may lack the permission to read the file.
 */
export const make: Effect.Effect<IdentifyReader, never, Services> = Effect.gen(function* () {
  const links = yield* Links
  const identifyActor = yield* ActorIdentification.make
  const orAnonymous = yield* AnonymousIdentification.make
  const rates = yield* RequestRates.make
  const identifyByShare = yield* ShareIdentification.make

  return (request, bucket): ReturnType<IdentifyReader> => {
    const query = Context.get(request, HttpServerRequest.ParsedSearchParams)
    const { apiKey } = query
    if (typeof apiKey !== "string" || !(isLinkKey(apiKey) || isShareToken(apiKey)))
      return orAnonymous(request, identifyActor(request))
    const key = PresentedKey.findOne(query, Context.get(request, HttpServerRequest.HttpServerRequest).headers)
    if (typeof key !== "string") return Effect.fail(key)
    if (isShareToken(key)) return identifyByShare(request, key, bucket)
    const refusal = links.isKnown(key, bucket) ? undefined : rates.findRefusal(request)
    return refusal ?? rates.apply(request, links.verify(key, bucket))
  }
})
