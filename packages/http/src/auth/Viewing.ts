/**
 * From the keys in a request to who looks at a stream: an actor, or the holder of a playback key.
 */
import * as ApiKey from "@holdfast/core/access/ApiKey"
import type { Actor } from "@holdfast/core/Actor"
import type { Unauthenticated } from "@holdfast/core/Errors"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { MetadataError } from "@holdfast/core/MetadataError"
import { isPlaybackKey, PlaybackKeys } from "@holdfast/core/playback/PlaybackKeys"
import type { Viewer } from "@holdfast/core/playback/Viewer"
import { Digest } from "effect/crypto/Digest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Identification from "./Identification.ts"
import * as PresentedKey from "./PresentedKey.ts"

/** Whose request it is; whether that one may look is for the services to say. */
export type Identify = (
  request: Context.Context<Identification.Request>,
  bucket: BucketRef
) => Effect.Effect<Viewer, PresentedKey.AmbiguousKey | Unauthenticated | MetadataError>

const isSame = (one: Actor, other: Actor): boolean =>
  one._tag === "Key" && other._tag === "Key" && one.hash === other.hash

/**
 * A playback key tells by itself. One beside the key that it was made from, as when a player adds a header to all its
 * requests, is no second opinion of who asks.
 */
export const make: Effect.Effect<Identify, never, Digest | PlaybackKeys> = Effect.gen(function* () {
  const digest = yield* Digest
  const playbackKeys = yield* PlaybackKeys
  const identify = yield* Identification.make

  const byBoth = Effect.fnUntraced(function* (playbackKey: string, key: string, bucket: BucketRef) {
    const actor = yield* Effect.provideService(ApiKey.identify(key), Digest, digest)
    const { parent } = yield* playbackKeys.verify(playbackKey, bucket)
    return isSame(actor, parent) ? actor : yield* new PresentedKey.AmbiguousKey()
  })

  return (request, bucket): ReturnType<Identify> => {
    const keys = PresentedKey.all(
      Context.get(request, HttpServerRequest.ParsedSearchParams),
      Context.get(request, HttpServerRequest.HttpServerRequest).headers
    )
    const playbackKey = keys.find(isPlaybackKey)
    if (playbackKey === undefined) return identify(request)
    const [other, ...more] = keys.filter((key) => key !== playbackKey)
    if (other === undefined) return playbackKeys.verify(playbackKey, bucket)
    return more.length > 0 ? Effect.fail(new PresentedKey.AmbiguousKey()) : byBoth(playbackKey, other, bucket)
  }
})
