/**
 * The actors of API keys. The format of a key is checked and its hash computed once, not with each request: that would cost as much
 * as a quarter of a small download. The hash of a key never changes, so the cache needs no invalidation.
 */
import * as ApiKey from "@holdfast/core/access/ApiKey"
import type { Actor } from "@holdfast/core/Actor"
import type { Unauthenticated } from "@holdfast/core/Errors"
import { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"

/** Returns the actor that presents a key. Fails with `Unauthenticated` for a malformed key. */
export type FindActor = (key: string) => Effect.Effect<Actor, Unauthenticated>

/** The services that it uses. */
export type Services = Digest

/** Maximum number of cached keys. The cache is cleared when it is full. */
const capacity = 1024

export const make: Effect.Effect<FindActor, never, Digest> = Effect.map(Digest, (digest) => {
  const cache = new Map<string, Effect.Effect<Actor>>()

  const identifyAndCache: FindActor = (key) =>
    Effect.map(Effect.provideService(ApiKey.identify(key), Digest, digest), (actor) => {
      if (cache.size >= capacity) cache.clear()
      cache.set(key, Effect.succeed(actor))
      return actor
    })

  return (key) => cache.get(key) ?? identifyAndCache(key)
})
