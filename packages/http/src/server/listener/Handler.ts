/**
 * Routes as a listener of Node's HTTP servers: `createServer(listener)`, or mounted in Express and the like. The
 * standalone service runs on the same one.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as Layer from "effect/Layer"
import type { RequestListener } from "./Listener.ts"

/**
 * The listener of these routes, for as long as the scope is open; requests under way are interrupted when it closes.
 * Under a prefix the host strips it from `request.url`, as Express does.
 */
export const make = <A, E, R>(routes: Layer.Layer<A, E, R>) =>
  Effect.gen(function* () {
    const app = yield* HttpRouter.toHttpEffect(routes)
    const scope = yield* Effect.scope
    const listener: RequestListener = yield* NodeHttpServer.makeHandler(app, { scope })
    return listener
  })
