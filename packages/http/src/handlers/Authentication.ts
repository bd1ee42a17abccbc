/**
 * Finds out who asks, and whether they may, before anything else of a request is looked at: 401, then 403, then the
 * rest. The services ask again, since they serve other doors too; `Access` remembers.
 */
import { Access } from "@holdfast/core/access/Access"
import * as ApiKey from "@holdfast/core/access/ApiKey"
import type { Actor } from "@holdfast/core/Actor"
import { Unauthenticated } from "@holdfast/core/Errors"
import { Digest } from "effect/crypto/Digest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as Contract from "../contract/Authentication.ts"
import { RequiredPermission } from "../contract/Operation.ts"
import * as ProblemResponse from "../problems/ProblemResponse.ts"
import * as PresentedKey from "./PresentedKey.ts"

type Request = HttpServerRequest.HttpServerRequest | HttpServerRequest.ParsedSearchParams | HttpRouter.RouteContext

/** The actor that the request's key stands for. */
const identify = (request: Context.Context<Request>): Effect.Effect<Actor, PresentedKey.AmbiguousKey | Unauthenticated, Digest> =>
  Effect.flatMap(
    Effect.fromResult(
      PresentedKey.find(
        Context.get(request, HttpServerRequest.ParsedSearchParams),
        Context.get(request, HttpServerRequest.HttpServerRequest).headers
      )
    ),
    (key) => (key === undefined ? Effect.fail(new Unauthenticated()) : ApiKey.identify(key))
  )

const make = Effect.gen(function* () {
  const access = yield* Access
  const digest = yield* Digest

  return Contract.Authentication.of((route, { endpoint }) => {
    const permission = Context.getOrUndefined(endpoint.annotations, RequiredPermission)
    // What has nothing to be validated is asked for by the service alone.
    const admit = (actor: Actor, tenantId: string) =>
      permission === undefined ? access.identify(actor) : access.require(actor, tenantId, permission)
    return Effect.contextWith((request: Context.Context<Request>) =>
      identify(request).pipe(
        Effect.provideService(Digest, digest),
        Effect.tap((actor) => admit(actor, Context.get(request, HttpRouter.RouteContext).params["tenantId"] ?? "")),
        Effect.catch(ProblemResponse.fail),
        Effect.flatMap((actor) => Effect.provideService(route, Contract.CurrentActor, actor))
      )
    )
  })
})

export const layer: Layer.Layer<Contract.Authentication, never, Access | Digest> = Layer.effect(
  Contract.Authentication,
  make
)
