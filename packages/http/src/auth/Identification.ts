/**
 * From the key in a request, or from what its host knows, to the actor that it stands for.
 */
import * as ApiKey from "@holdfast/core/access/ApiKey"
import type { Actor } from "@holdfast/core/Actor"
import { Unauthenticated } from "@holdfast/core/Errors"
import type { MetadataError } from "@holdfast/core/MetadataError"
import { Digest } from "effect/crypto/Digest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Predicate from "effect/Predicate"
import { HostActor } from "./HostActor.ts"
import * as PresentedKey from "./PresentedKey.ts"

/** What the router knows of a request. */
export type Request = HttpServerRequest.HttpServerRequest | HttpServerRequest.ParsedSearchParams

/** Whose request it is; whether the key stands, and what it permits, is for `Access` to say. */
export type Identify = (
  request: Context.Context<Request>
) => Effect.Effect<Actor, PresentedKey.AmbiguousKey | Unauthenticated | MetadataError>

/** So many keys are remembered; then the memory begins anew. */
const capacity = 1024

/**
 * A key's spelling is checked and hashed once, not for each of its requests: that costs as much as a quarter of a
 * small download. What is remembered never changes, so nothing is asked of it that could be out of date.
 */
export const make: Effect.Effect<Identify, never, Digest> = Effect.map(Digest, (digest) => {
  const known = new Map<string, Effect.Effect<Actor>>()

  const identify = (key: string) =>
    Effect.map(Effect.provideService(ApiKey.identify(key), Digest, digest), (actor) => {
      if (known.size >= capacity) known.clear()
      known.set(key, Effect.succeed(actor))
      return actor
    })

  const byKey: Identify = (request) => {
    const key = PresentedKey.find(
      Context.get(request, HttpServerRequest.ParsedSearchParams),
      Context.get(request, HttpServerRequest.HttpServerRequest).headers
    )
    if (typeof key !== "string") return Effect.fail(key)
    return key === "" ? Effect.fail(new Unauthenticated()) : (known.get(key) ?? identify(key))
  }

  return (request) => {
    const askHost = Context.get(request, HostActor)
    if (askHost === undefined) return byKey(request)
    return Effect.filterOrElse(askHost, Predicate.isNotUndefined, () => byKey(request))
  }
})
