/**
 * Identifies the actor of a request: the one that the host supplies, or else the one of the presented API key. It does
 * not check that the key exists or what it permits: `Access` does, on behalf of `Authentication` and of every service. Requests
 * that exceed a rate fail here.
 */
import { Access, type IdentifyError } from "@holdfast/core/access/Access"
import type { Actor } from "@holdfast/core/Actor"
import { Unauthenticated } from "@holdfast/core/Errors"
import type { SharePasswordRequired } from "@holdfast/core/files/shares/Share"
import type { RateLimited, Rates } from "@holdfast/core/rates/Rates"
import type { Digest } from "effect/crypto/Digest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Predicate from "effect/Predicate"
import { HostActor, type HostRefusal } from "./HostActor.ts"
import * as KeyActors from "./KeyActors.ts"
import * as PresentedKey from "./PresentedKey.ts"
import * as RequestRates from "./RequestRates.ts"

/** The services of a request that identification reads. */
export type RequestServices =
  | HttpServerRequest.HttpServerRequest
  | HttpServerRequest.ParsedSearchParams
  | HttpRouter.RouteContext

/** The services that identification uses. */
export type Services = Access | Digest | Rates

export type IdentificationError =
  | PresentedKey.AmbiguousKey
  | HostRefusal
  | IdentifyError
  | RateLimited
  | SharePasswordRequired

/** Identifies the actor of a request. Fails with `Unauthenticated` for a missing or malformed key. */
export type IdentifyActor = (request: Context.Context<RequestServices>) => Effect.Effect<Actor, IdentificationError>

export const make: Effect.Effect<IdentifyActor, never, Services> = Effect.gen(function* () {
  const access = yield* Access
  const rates = yield* RequestRates.make
  const findActor = yield* KeyActors.make

  const identifyByKey: IdentifyActor = (request) => {
    const key = PresentedKey.findOne(
      Context.get(request, HttpServerRequest.ParsedSearchParams),
      Context.get(request, HttpServerRequest.HttpServerRequest).headers
    )
    if (typeof key !== "string") return Effect.fail(key)
    if (key === "") return Effect.fail(new Unauthenticated())
    const identified = findActor(key)
    const refusal = rates.findRefusal(request)
    if (refusal === undefined) return identified
    return identified.pipe(
      Effect.catch(() => refusal),
      Effect.filterOrElse(access.isKnown, () => refusal)
    )
  }

  const identify: IdentifyActor = (request) => {
    const resolveHostActor = Context.get(request, HostActor)
    if (resolveHostActor === undefined) return identifyByKey(request)
    return Effect.filterOrElse(resolveHostActor, Predicate.isNotUndefined, () => identifyByKey(request))
  }

  return (request) => rates.apply(request, identify(request))
})
