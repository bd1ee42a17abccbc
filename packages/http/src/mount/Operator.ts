/**
 * The health and the metrics of a Holdfast, for operators of the program that has opened it.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import type { Holdfast } from "@holdfast/core"
import * as PromiseApiContext from "@holdfast/core/promises/PromiseApiContext"
import type { PromiseApiServices } from "@holdfast/core/promises/PromiseRuntime"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { routerConfig } from "../handlers/ApiRoutes.ts"
import * as OperatorRoutes from "../operator/OperatorRoutes.ts"
import * as ProcessMetrics from "../operator/ProcessMetrics.ts"
import * as ProblemMiddleware from "../problems/ProblemMiddleware.ts"
import * as KnownOptions from "./KnownOptions.ts"
import type * as Mount from "./Mount.ts"
import * as PendingListener from "./PendingListener.ts"
import * as Prefix from "./Prefix.ts"
import * as Refusal from "./Refusal.ts"

export interface OperatorOptions {
  /** The path prefix of the paths, such as `/storage`, if the host leaves it in the URL. */
  readonly prefix?: string | undefined
}

/** Checks the options. Throws a `TypeError` for one that is not known. */
const toPrefix = (options: OperatorOptions): string => {
  KnownOptions.check(options, { prefix: true })
  return Prefix.normalize(options.prefix ?? "")
}

const routes = Layer.mergeAll(
  OperatorRoutes.layer,
  ProblemMiddleware.layer(OperatorRoutes.routes, routerConfig),
  ProcessMetrics.layer
).pipe(Layer.provide(HttpServer.layerServices))

/** Builds the routes below a prefix. They work until the Holdfast is closed, which closes the scope first. */
const makeApp = Effect.fnUntraced(function* (context: PromiseApiContext.PromiseApiContext, prefix: string) {
  const scope = yield* Scope.fork(context.scope)
  const app: Mount.App = yield* HttpRouter.toHttpEffect(routes).pipe(
    Effect.provideService(HttpRouter.RouterConfig, routerConfig),
    Scope.provide(scope)
  )
  const stripped: Mount.App = Effect.updateService(app, HttpServerRequest, (request) =>
    prefix === "" ? request : request.modify({ url: Prefix.strip(prefix, request.url) })
  )
  return { app: stripped, scope }
})

/**
 * Returns `/metrics` (the text format of Prometheus), `/health/live` and `/health/ready` as a Node request listener:
 * `createServer(toOperatorListener(holdfast)).listen(9090, "127.0.0.1")`, or a middleware of Express. The paths are those of the
 * service, and need no key: serve them where only your operators and your load balancer reach them.
 *
 * After the Holdfast is closed, the listener answers `503`.
 */
export const toOperatorListener = (
  holdfast: Holdfast,
  options: OperatorOptions = {}
): ((request: IncomingMessage, response: ServerResponse) => void) => {
  const prefix = toPrefix(options)
  const context = PromiseApiContext.of(holdfast)
  const building = Effect.gen(function* () {
    const { app, scope } = yield* makeApp(context, prefix)
    const listener: RequestListener = yield* NodeHttpServer.makeHandler(app, { scope })
    return listener
  }).pipe(Effect.provideContext(context.services), Effect.runPromise)
  return PendingListener.make(context, building)
}

/** Returns the same as a web handler, for Hono, Next.js, Bun or Deno. */
export const toOperatorHandler = (
  holdfast: Holdfast,
  options: OperatorOptions = {}
): ((request: Request) => Promise<Response>) => {
  const prefix = toPrefix(options)
  const context = PromiseApiContext.of(holdfast)
  const building = Effect.map(makeApp(context, prefix), ({ app }) =>
    HttpEffect.toWebHandlerWith<PromiseApiServices, HttpServerRequest | Scope.Scope>(context.services)(app)
  ).pipe(Effect.provideContext(context.services), Effect.runPromise)
  // Each request reports a failed build. Before the first request, nothing could.
  building.catch(() => undefined)

  return async (request) => {
    if (context.isClosed()) return Refusal.toResponse(Refusal.closed)
    const handler = await building
    return context.isClosed() ? Refusal.toResponse(Refusal.closed) : handler(request)
  }
}
