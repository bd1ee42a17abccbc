/**
 * Converts routes to a request listener of Node's HTTP servers.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as Layer from "effect/Layer"
import * as References from "effect/References"
import type { RequestListener } from "node:http"
import type { FindDirectAnswer } from "../../handlers/support/DirectAnswer.ts"
import * as DirectListener from "./DirectListener.ts"
import * as ObservedRequest from "./ObservedRequest.ts"

/**
 * A request adds some ten services to the context. By default the ninth one copies the map of all services of the process, some
 * hundred: 9 µs.
 */
const withoutCopies = <R>(context: Context.Context<R>): Context.Context<R> =>
  Context.makeUnsafe(context.mapUnsafe, { maxDepth: 32 })

/**
 * Makes the listener of these routes. It works as long as the scope is open; closing the scope interrupts the requests
 * that are running. A host that serves the routes under a prefix must remove the prefix from `request.url`, as Express
 * does.
 *
 * @param makeDirect Makes what answers some requests without the router; none when absent, and none while requests are traced.
 */
export const make = Effect.fnUntraced(function* <A, E, R, R2 = never>(
  routes: Layer.Layer<A, E, R>,
  makeDirect: Effect.Effect<FindDirectAnswer | undefined, never, R2> = Effect.undefined
) {
  const app = yield* HttpRouter.toHttpEffect(routes)
  const scope = yield* Effect.scope
  const making = NodeHttpServer.makeHandler(app, { scope })
  const router: RequestListener = yield* Effect.updateContext(making, withoutCopies<Effect.Services<typeof making>>)
  const direct = (yield* References.TracerEnabled) ? undefined : yield* makeDirect
  return direct === undefined
    ? router
    : yield* DirectListener.make({
        find: direct,
        router,
        observe: ObservedRequest.recordRoute,
        context: withoutCopies(yield* Effect.context<never>()),
        scope
      })
})
