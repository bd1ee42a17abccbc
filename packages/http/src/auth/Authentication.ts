/**
 * Finds out who asks, and whether they may, before anything else of a request is looked at: 401, then 403, then the
 * rest. The services ask again, since they serve other doors too; `Access` remembers.
 */
import { Access, type AccessError } from "@holdfast/core/access/Access"
import type { Actor } from "@holdfast/core/Actor"
import { Forbidden } from "@holdfast/core/Errors"
import { Settings } from "@holdfast/core/Settings"
import type { Digest } from "effect/crypto/Digest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Contract from "../contract/Authentication.ts"
import { ForAccounts, RequiredPermission } from "../contract/Operation.ts"
import * as ProblemResponse from "../problems/ProblemResponse.ts"
import * as Identification from "./Identification.ts"

type Request = Identification.Request | HttpRouter.RouteContext

type Admit = (actor: Actor, tenantId: string) => Effect.Effect<unknown, AccessError>

const make = Effect.gen(function* () {
  const access = yield* Access
  const { tokensMayCreateTenants } = yield* Settings
  const identify = yield* Identification.make

  /** An API token is no account, unless the deployment lets it pass for one. */
  const admitAccount: Admit = (actor) =>
    Effect.flatMap(access.identify(actor), (identity) =>
      identity !== "system" && identity.credential?.tenantId && !tokensMayCreateTenants
        ? Effect.fail(new Forbidden())
        : Effect.void
    )

  /** What an operation asks of its caller. */
  const admission = (annotations: Context.Context<never>): Admit => {
    const permission = Context.getOrUndefined(annotations, RequiredPermission)
    if (permission !== undefined) return (actor, tenantId) => access.require(actor, tenantId, permission)
    return Context.get(annotations, ForAccounts) ? admitAccount : access.identify
  }

  return Contract.Authentication.of((route, { endpoint }) => {
    const admit = admission(endpoint.annotations)
    return Effect.contextWith((request: Context.Context<Request>) =>
      identify(request).pipe(
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
