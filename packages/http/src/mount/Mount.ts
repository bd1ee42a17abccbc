/**
 * The routes over the services of an open Holdfast, for as long as it is open.
 */
import type { PromiseApiContext } from "@holdfast/core/promises/PromiseApiContext"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as ApiRoutes from "../handlers/ApiRoutes.ts"
import { MountPath } from "../handlers/support/CreatedResponse.ts"
import { type AskHost, HostActor } from "../auth/HostActor.ts"
import * as Prefix from "./Prefix.ts"

/** What a host's own authentication answers: an actor of the mounted Holdfast, or undefined for "ask for a key". */
export type Answer = object | undefined

/** How one request came in. */
export interface Visit {
  /** What the host has left before the path of the API. */
  readonly prefix: string
  /** What stands before the path of the API in the addresses that clients use. */
  readonly mountPath: string
  /** Whom the host takes the caller for. */
  readonly authenticate: (() => Answer | Promise<Answer>) | undefined
}

export type App = Effect.Effect<HttpServerResponse, unknown, HttpServerRequest | Scope.Scope>

export interface Mounted {
  readonly app: App
  /** Closed when the Holdfast is, before its services are. */
  readonly scope: Scope.Scope
  /** Says how a request came in, by its Node message or web `Request`, before it is given to the app. */
  readonly announce: (source: object, visit: Visit) => void
}

const routes = ApiRoutes.layer.pipe(
  Layer.provide(HttpServer.layerServices),
  Layer.provide(Layer.succeed(HttpRouter.RouterConfig, ApiRoutes.routerConfig))
)

/** A handle that is none of this instance's is the host's mistake, not the caller's. */
const asking = (door: PromiseApiContext, authenticate: NonNullable<Visit["authenticate"]>): AskHost =>
  Effect.promise(async () => authenticate()).pipe(
    Effect.flatMap((handle) => (handle === undefined ? Effect.undefined : door.resolve(handle))),
    Effect.catchTag("InvalidRequest", Effect.die),
    Effect.provideContext(door.services)
  )

const visiting = (door: PromiseApiContext, inner: App, { authenticate, mountPath, prefix }: Visit): App => {
  const placed = inner.pipe(
    Effect.provideService(MountPath, mountPath),
    Effect.updateService(HttpServerRequest, (request) =>
      prefix === "" ? request : request.modify({ url: Prefix.strip(prefix, request.url) })
    )
  )
  return authenticate === undefined ? placed : Effect.provideService(placed, HostActor, asking(door, authenticate))
}

/** Builds the routes. */
export const make = (door: PromiseApiContext): Promise<Mounted> => {
  const visits = new WeakMap<object, Visit>()
  return Effect.gen(function* () {
    const scope = yield* Scope.fork(door.scope)
    const inner = yield* Scope.provide(HttpRouter.toHttpEffect(routes), scope)
    const app: App = Effect.flatMap(HttpServerRequest, ({ source }) => {
      const visit = visits.get(source)
      return visit === undefined ? inner : visiting(door, inner, visit)
    })
    return { app, scope, announce: (source, visit) => void visits.set(source, visit) } satisfies Mounted
  }).pipe(Effect.provideContext(door.services), Effect.runPromise)
}
