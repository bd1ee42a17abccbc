/**
 * Builds the routes of the API over the services of an open Holdfast. They work until the Holdfast is closed.
 */
import { HostLimits } from "@holdfast/core/access/HostLimits"
import type { PromiseApiContext } from "@holdfast/core/promises/PromiseApiContext"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { HostActor, type HostRefusal, type ResolveHostActor } from "../auth/HostActor.ts"
import * as ClientAddress from "../incoming/ClientAddress.ts"
import * as ApiRoutes from "../handlers/ApiRoutes.ts"
import * as PlayerRoutes from "../handlers/PlayerRoutes.ts"
import { MountPath } from "../handlers/support/PublicAddress.ts"
import * as Prefix from "./Prefix.ts"
import * as SameOrigin from "./SameOrigin.ts"

/** The answer of a host's `authenticate`: an actor of the mounted Holdfast, or undefined to use the API key. */
export type HostAnswer = object | undefined

/** How the host passed on one request. */
export interface MountedRequest {
  /** The prefix that the request's URL still has. */
  readonly prefix: string
  /** The prefix of the API in the URLs that clients use. */
  readonly mountPath: string
  /** The host's own authentication of this request; undefined if it has none. */
  readonly authenticate: (() => HostAnswer | Promise<HostAnswer>) | undefined
  /** Origins besides the host's own whose pages may change something by a session of the host. */
  readonly trustedOrigins: ReadonlySet<string>
  /** What the request may do at most. */
  readonly limits: HostLimits
  /** Finds the address of the request's client. */
  readonly findClientAddress: ClientAddress.FindClientAddress
}

export type App = Effect.Effect<HttpServerResponse, unknown, HttpServerRequest | Scope.Scope>

export interface Mounted {
  readonly app: App
  /** It is closed when the Holdfast is closed, before the services are. */
  readonly scope: Scope.Scope
  /**
   * Registers how a request was passed on, before the app handles it. `source` is its Node message or web `Request`.
   */
  readonly register: (source: object, request: MountedRequest) => void
}

const routes = ApiRoutes.layer.pipe(Layer.provide(HttpServer.layerServices))

/** An actor of another Holdfast is a mistake of the host, so it becomes a defect and not an error of the client. */
const resolveHostActor = (
  context: PromiseApiContext,
  authenticate: NonNullable<MountedRequest["authenticate"]>,
  fault: HostRefusal | undefined
): ResolveHostActor =>
  Effect.promise(async () => authenticate()).pipe(
    Effect.flatMap((handle) => (handle === undefined ? Effect.undefined : context.resolve(handle))),
    Effect.catchTag("InvalidRequest", Effect.die),
    // The check is for sessions: without one, the request's API key determines the actor.
    Effect.flatMap((actor) =>
      actor === undefined || fault === undefined ? Effect.succeed(actor) : Effect.fail(fault)
    ),
    Effect.provideContext(context.services)
  )

const provideMounted = (
  context: PromiseApiContext,
  app: App,
  { authenticate, findClientAddress, limits, mountPath, prefix, trustedOrigins }: MountedRequest
): App => {
  const mounted = app.pipe(
    Effect.provideService(MountPath, mountPath),
    Effect.provideService(HostLimits, limits),
    Effect.provideService(ClientAddress.FindClientAddress, findClientAddress),
    Effect.updateService(HttpServerRequest, (request) =>
      prefix === "" ? request : request.modify({ url: Prefix.strip(prefix, request.url) })
    )
  )
  return authenticate === undefined
    ? mounted
    : Effect.flatMap(HttpServerRequest, (request) => {
        const fault = SameOrigin.findFault(request, trustedOrigins)
        return Effect.provideService(mounted, HostActor, resolveHostActor(context, authenticate, fault))
      })
}

/** Builds the routes. `frameAncestors` is the value of the directive for the pages of the players. */
export const make = (context: PromiseApiContext, frameAncestors: string): Promise<Mounted> => {
  const requests = new WeakMap<object, MountedRequest>()
  return Effect.gen(function* () {
    const scope = yield* Scope.fork(context.scope)
    const api = yield* HttpRouter.toHttpEffect(routes).pipe(
      Effect.provideService(HttpRouter.RouterConfig, ApiRoutes.routerConfig),
      Effect.provideService(PlayerRoutes.FrameAncestors, frameAncestors),
      Scope.provide(scope)
    )
    const app: App = Effect.flatMap(HttpServerRequest, ({ source }) => {
      const request = requests.get(source)
      return request === undefined ? api : provideMounted(context, api, request)
    })
    return { app, scope, register: (source, request) => void requests.set(source, request) } satisfies Mounted
  }).pipe(Effect.provideContext(context.services), Effect.runPromise)
}
