/**
 * Identifies the viewer of a stream: an actor, the holder of a playback key or a share, or a client without a key. It verifies playback keys but, as
 * `ActorIdentification`, checks no permission: the services do.
 */
import * as ApiKey from "@holdfast/core/access/ApiKey"
import type { Actor } from "@holdfast/core/Actor"
import type { Unauthenticated } from "@holdfast/core/Errors"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { isPlaybackKey, PlaybackKeys } from "@holdfast/core/playback/PlaybackKeys"
import { isShareToken, type ShareUse } from "@holdfast/core/files/shares/ShareUse"
import type { KeyedViewer, Viewer } from "@holdfast/core/playback/Viewer"
import { Digest } from "effect/crypto/Digest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as ActorIdentification from "./ActorIdentification.ts"
import * as AnonymousIdentification from "./AnonymousIdentification.ts"
import * as PresentedKey from "./PresentedKey.ts"
import * as RequestRates from "./RequestRates.ts"
import * as ShareIdentification from "./ShareIdentification.ts"

/** The services that identification uses. */
type Services = ActorIdentification.Services | PlaybackKeys | ShareUse

/** Identifies the viewer of a request for a stream in this bucket. */
export type IdentifyViewer = (
  request: Context.Context<ActorIdentification.RequestServices>,
  bucket: BucketRef
) => Effect.Effect<Viewer, ActorIdentification.IdentificationError>

const isSameKey = (one: Actor, other: Actor): boolean =>
  one._tag === "Key" && other._tag === "Key" && one.hash === other.hash

/**
 * A request may present a playback key together with the API key that it was made from: some players add a header to
 * all their requests. These two keys are not ambiguous; the viewer is then the actor. Every other pair of keys is.
 */
export const make: Effect.Effect<IdentifyViewer, never, Services> = Effect.gen(function* () {
  const digest = yield* Digest
  const playbackKeys = yield* PlaybackKeys
  const identifyActor = yield* ActorIdentification.make
  const orAnonymous = yield* AnonymousIdentification.make
  const rates = yield* RequestRates.make
  const identifyByShare = yield* ShareIdentification.make

  const identifyByBoth = Effect.fnUntraced(function* (playbackKey: string, apiKey: string, bucket: BucketRef) {
    const actor = yield* Effect.provideService(ApiKey.identify(apiKey), Digest, digest)
    const { parent } = yield* playbackKeys.verify(playbackKey, bucket)
    return isSameKey(actor, parent) ? actor : yield* new PresentedKey.AmbiguousKey()
  })

  return (request, bucket): ReturnType<IdentifyViewer> => {
    const keys = PresentedKey.findAll(
      Context.get(request, HttpServerRequest.ParsedSearchParams),
      Context.get(request, HttpServerRequest.HttpServerRequest).headers
    )
    const [only] = keys
    if (keys.length === 1 && only !== undefined && isShareToken(only)) return identifyByShare(request, only, bucket)
    const playbackKey = keys.find(isPlaybackKey)
    if (playbackKey === undefined) return orAnonymous(request, identifyActor(request))
    const [otherKey, ...furtherKeys] = keys.filter((key) => key !== playbackKey)
    if (furtherKeys.length > 0) return Effect.fail(new PresentedKey.AmbiguousKey())
    const refusal = playbackKeys.isKnown(playbackKey, bucket) ? undefined : rates.findRefusal(request)
    if (refusal !== undefined) return refusal
    const identified: Effect.Effect<KeyedViewer, PresentedKey.AmbiguousKey | Unauthenticated> =
      otherKey === undefined ? playbackKeys.verify(playbackKey, bucket) : identifyByBoth(playbackKey, otherKey, bucket)
    return rates.apply(request, identified)
  }
})
