/**
 * What stands around every route: it names the request, turns whatever was not answered into a problem, and gives every
 * answer the headers that all have.
 */
import type { SecureRandom } from "effect/crypto/SecureRandom"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { RouterConfig } from "effect/http/FindMyWay"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Layer from "effect/Layer"
import * as AllowedMethods from "./AllowedMethods.ts"
import * as CommonHeaders from "./CommonHeaders.ts"
import * as ProblemHeaders from "./ProblemHeaders.ts"
import * as ProblemResponse from "./ProblemResponse.ts"
import * as RequestId from "./RequestId.ts"

type Response = HttpServerResponse.HttpServerResponse

const isRouteNotFound = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some(
    (reason) =>
      reason._tag === "Fail" &&
      HttpServerError.isHttpServerError(reason.error) &&
      reason.error.reason._tag === "RouteNotFound"
  )

/** A response with the headers that all have, unless it was written with them already. */
const complete = (response: Response): Effect.Effect<Response> =>
  response.headers[RequestId.header] === undefined
    ? Effect.map(RequestId.RequestId, (requestId) =>
        HttpServerResponse.setHeaders(response, {
          // Addresses may carry keys, so no cache may keep what they lead to, unless a route says otherwise.
          "cache-control": "no-store",
          ...ProblemHeaders.of(response.status),
          ...response.headers,
          ...CommonHeaders.of(requestId)
        })
      )
    : Effect.succeed(response)

/**
 * The middleware, around all routes of the router.
 *
 * @param routes What is registered, to tell a wrong method (405, with `Allow`) from an unknown path (404).
 * @param config How the router reads addresses.
 */
export const layer = (
  routes: ReadonlyArray<AllowedMethods.Route>,
  config: Partial<RouterConfig>
): Layer.Layer<never, never, HttpRouter.HttpRouter | SecureRandom> =>
  HttpRouter.middleware(
    Effect.gen(function* () {
      const nameRequest = yield* RequestId.make
      const allowedMethods = AllowedMethods.make(routes, config)

      const recover = <E>(cause: Cause.Cause<E>) =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) => {
          const allowed = isRouteNotFound(cause) ? allowedMethods(url) : []
          return allowed.length === 0
            ? ProblemResponse.fromCause(cause)
            : ProblemResponse.respond(
                { code: "method_not_allowed", message: `This address takes ${allowed.join(", ")}.` },
                { allow: allowed.join(", ") }
              )
        })

      return <E, R>(route: Effect.Effect<Response, E, R>) => {
        const answer = route.pipe(Effect.catchCause(recover), Effect.flatMap(complete))
        return Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
          Effect.provideService(answer, RequestId.RequestId, nameRequest(headers[RequestId.header]))
        )
      }
    }),
    { global: true }
  )
