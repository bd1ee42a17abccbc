/**
 * Enforces authentication and permissions for every operation of the contract, before the parameters or the body of the
 * request are read: an operation answers 401 first, then 403, then anything else. The services check the permission
 * again, because they also serve the Promise API; `Access` caches the result.
 */
import { Access, type AccessError } from "@holdfast/core/access/Access"
import type { Place } from "@holdfast/core/access/Scope"
import type { Actor } from "@holdfast/core/Actor"
import { CurrentTenant } from "@holdfast/core/CurrentTenant"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Contract from "../contract/Authentication.ts"
import { AcceptsUploadLinks, ConfinedToScope, ForAccounts, RequiredPermission } from "../contract/Operation.ts"
import * as ProblemResponse from "../problems/ProblemResponse.ts"
import * as ActorIdentification from "./ActorIdentification.ts"
import * as UploaderIdentification from "./UploaderIdentification.ts"

/** Fails unless the actor may call the operation at the place that the path of the request names. */
type CheckAccess = (actor: Actor, place: Place) => Effect.Effect<unknown, AccessError>

/** Returns whose share of the resources a request uses: the tenant's, or the account's for an operation without a tenant. */
const ownerOf = (request: Context.Context<ActorIdentification.RequestServices>, actor: Actor): string | undefined =>
  Context.get(request, HttpRouter.RouteContext).params["tenantId"] ??
  (actor._tag === "Key" ? actor.hash : actor._tag === "Account" ? actor.accountId : undefined)

/** Returns the actor on whose behalf an uploader uploads. */
const actorOf = (uploader: UploaderIdentification.Uploader): Actor =>
  uploader._tag === "UploadGrant" ? uploader.parent : uploader

const make = Effect.gen(function* () {
  const access = yield* Access
  const identifyActor = yield* ActorIdentification.make
  const identifyUploader = yield* UploaderIdentification.make(identifyActor)

  /** Returns the check that the annotations of an operation require. */
  const checkFor = (annotations: Context.Context<never>): CheckAccess => {
    const permission = Context.getOrUndefined(annotations, RequiredPermission)
    if (permission === undefined) {
      return Context.get(annotations, ForAccounts) ? access.requireAccount : (actor) => access.identify(actor)
    }
    return Context.get(annotations, ConfinedToScope)
      ? (actor, { tenantId }) => access.requirePart(actor, tenantId, permission)
      : (actor, place) => access.require(actor, place, permission)
  }

  return Contract.Authentication.of((route, { endpoint }) => {
    const checkAccess = checkFor(endpoint.annotations)
    const identify: UploaderIdentification.IdentifyUploader = Context.get(endpoint.annotations, AcceptsUploadLinks)
      ? identifyUploader
      : identifyActor
    return Effect.contextWith((request: Context.Context<ActorIdentification.RequestServices>) =>
      identify(request).pipe(
        Effect.tap((requester) => {
          const { bucketId, tenantId = "" } = Context.get(request, HttpRouter.RouteContext).params
          return checkAccess(actorOf(requester), { tenantId, bucketId })
        }),
        Effect.catch(ProblemResponse.fail),
        Effect.flatMap((requester) => {
          const actor = actorOf(requester)
          const link = requester._tag === "UploadGrant" ? requester : undefined
          // `Effect.provideContext` would copy the map of all services for each request: 16 µs.
          return Effect.updateContext(route, (context: Context.Context<never>) => {
            const identified = context.pipe(
              Context.add(Contract.CurrentActor, actor),
              Context.add(CurrentTenant, ownerOf(request, actor))
            )
            return link === undefined ? identified : Context.add(identified, Contract.CurrentUploadLink, link)
          })
        })
      )
    )
  })
})

export const layer: Layer.Layer<Contract.Authentication, never, UploaderIdentification.Services> = Layer.effect(
  Contract.Authentication,
  make
)
