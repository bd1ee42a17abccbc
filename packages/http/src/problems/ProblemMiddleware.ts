/**
 * The middleware around every route: assigns the request id, finds the client's address, converts failures to problems, and adds the headers that
 * every answer has.
 */
import { CurrentRequest, type Refusal, type RequestInfo } from "@holdfast/core/access/CurrentRequest"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { RouterConfig } from "effect/http/FindMyWay"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Layer from "effect/Layer"
import { FindClientAddress } from "../incoming/ClientAddress.ts"
import { IdentityObserver } from "../incoming/IdentityObserver.ts"
import * as KnownFailures from "../incoming/KnownFailures.ts"
import * as RequestInfos from "../incoming/RequestInfos.ts"
import * as AllowedMethods from "./AllowedMethods.ts"
import * as CommonHeaders from "./CommonHeaders.ts"
import * as ExactPath from "./ExactPath.ts"
import * as ProblemHeaders from "./ProblemHeaders.ts"
import * as ProblemResponse from "./ProblemResponse.ts"
import * as RequestId from "./RequestId.ts"
import * as UrlFault from "./UrlFault.ts"

type Response = HttpServerResponse.HttpServerResponse

interface Observer {
  /** Called with each request that is answered with 401. */
  readonly onUnauthenticated: (request: HttpServerRequest.HttpServerRequest, clientAddress: string | undefined) => void
  /** Called with each request that a permission or a rate refuses, if its key is or was one of the deployment. */
  readonly onRefused: (refusal: Refusal, current: RequestInfo) => void
}

const noObserver: Observer = { onUnauthenticated: () => undefined, onRefused: () => undefined }

const isRouteNotFound = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some(
    (reason) =>
      reason._tag === "Fail" &&
      HttpServerError.isHttpServerError(reason.error) &&
      reason.error.reason._tag === "RouteNotFound"
  )

/** Adds the headers that every answer has, unless the route wrote them already. */
const addHeaders = (request: HttpServerRequest.HttpServerRequest, requestId: string, response: Response): Response =>
  response.headers[RequestId.header] === undefined
    ? HttpServerResponse.setHeaders(response, {
        ...CommonHeaders.uncached,
        ...ProblemHeaders.forStatus(response.status),
        ...response.headers,
        ...CommonHeaders.forRequest(request, requestId, response.headers["vary"])
      })
    : response

const notFound = ProblemResponse.respond({ code: "not_found", message: "This path does not exist." })

const refuse = (message: string): Effect.Effect<Response> =>
  ProblemResponse.respond({ code: "invalid_request", message, errors: [] })

/** Returns the answer to a URL that is not valid for any route; undefined for other URLs. */
const findRefusal = (url: string): Effect.Effect<Response> | undefined => {
  if (!ExactPath.isExact(url)) return notFound
  const fault = UrlFault.find(url)
  return fault === undefined ? undefined : refuse(fault)
}

/**
 * The middleware, around all routes of the router.
 *
 * @param routes The registered routes, to distinguish a wrong method (405, with `Allow`) from an unknown path (404).
 * @param config The router's configuration, by which paths are matched.
 * @param makeObserver Makes the observer of refused requests.
 */
export const layer = <R = never>(
  routes: ReadonlyArray<AllowedMethods.Route>,
  config: Partial<RouterConfig>,
  makeObserver: Effect.Effect<Observer, never, R> = Effect.succeed(noObserver)
): Layer.Layer<never, never, HttpRouter.HttpRouter | SecureRandom | R> =>
  HttpRouter.middleware(
    Effect.gen(function* () {
      const { onRefused, onUnauthenticated } = yield* makeObserver
      const assignRequestId = yield* RequestId.makeAssigner
      const allowedMethods = AllowedMethods.make(routes, config)

      const toResponse = <E>(cause: Cause.Cause<E>) =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) => {
          const allowed = isRouteNotFound(cause) ? allowedMethods(url) : []
          return allowed.length === 0
            ? ProblemResponse.fromCause(cause)
            : ProblemResponse.respond(
                { code: "method_not_allowed", message: `This path allows only ${allowed.join(", ")}.` },
                { allow: allowed.join(", ") }
              )
        })

      return <E, R>(route: Effect.Effect<Response, E, R>) => {
        const answer = Effect.catchCause(route, toResponse)
        return Effect.contextWith((context: Context.Context<HttpServerRequest.HttpServerRequest>) => {
          const request = Context.get(context, HttpServerRequest.HttpServerRequest)
          const failure = KnownFailures.find(request.source)
          const requestId = assignRequestId(request.headers[RequestId.header])
          const clientAddress = Context.get(context, FindClientAddress)(request)
          const observe = Context.get(context, IdentityObserver)
          const current: RequestInfo = RequestInfos.make({
            requestId,
            clientAddress,
            headers: request.headers,
            onIdentified: (identity) => observe(request, identity),
            onRefused: (refusal) => onRefused(refusal, current)
          })
          return Effect.map(
            Effect.provideService(
              findRefusal(request.url) ?? (failure === undefined ? answer : Effect.orDie(toResponse(failure))),
              CurrentRequest,
              current
            ),
            (response) => {
              if (response.status === 401) onUnauthenticated(request, clientAddress)
              return addHeaders(request, requestId, response)
            }
          )
        })
      }
    }),
    { global: true }
  )
