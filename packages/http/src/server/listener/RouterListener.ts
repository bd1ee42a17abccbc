/**
 * Converts routes to a request listener of Node's HTTP servers.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as Layer from "effect/Layer"
import type { RequestListener } from "node:http"

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
 */
export const make = <A, E, R>(routes: Layer.Layer<A, E, R>) =>
  Effect.gen(function* () {
    const app = yield* HttpRouter.toHttpEffect(routes)
    const scope = yield* Effect.scope
    const making = NodeHttpServer.makeHandler(app, { scope })
    const listener: RequestListener = yield* Effect.updateContext(making, withoutCopies<Effect.Services<typeof making>>)
    return listener
  })
