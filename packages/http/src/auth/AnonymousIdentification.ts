/**
 * Identifies the reader of a request without a key, where the deployment permits public buckets. Whether the bucket of the request is
 * public, the services check.
 */
import { anonymous, type Anonymous } from "@holdfast/core/access/Anonymous"
import type { Access } from "@holdfast/core/access/Access"
import type { Rates } from "@holdfast/core/rates/Rates"
import { Settings } from "@holdfast/core/Settings"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as ActorIdentification from "./ActorIdentification.ts"
import * as PresentedKey from "./PresentedKey.ts"
import * as RequestRates from "./RequestRates.ts"

type Request = Context.Context<ActorIdentification.RequestServices>

const presentsNoKey = (request: Request): boolean =>
  PresentedKey.findAll(
    Context.get(request, HttpServerRequest.ParsedSearchParams),
    Context.get(request, HttpServerRequest.HttpServerRequest).headers
  ).length === 0

/** Makes the function that adds the reader without a key to an identification. Such a request counts for the rate of its address. */
export const make: Effect.Effect<
  <A>(
    request: Request,
    identified: Effect.Effect<A, ActorIdentification.IdentificationError>
  ) => Effect.Effect<A | Anonymous, ActorIdentification.IdentificationError>,
  never,
  Access | Rates
> = Effect.gen(function* () {
  const { publicBuckets } = yield* Settings
  const rates = yield* RequestRates.make
  if (!publicBuckets) return (_, identified) => identified
  return (request, identified) =>
    Effect.catchIf(
      identified,
      (error) => "_tag" in error && error._tag === "Unauthenticated" && presentsNoKey(request),
      () => Effect.as(rates.admitAnonymous(request), anonymous)
    )
})
