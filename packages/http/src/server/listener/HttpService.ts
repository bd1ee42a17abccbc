/**
 * The Node server: it listens, hands requests on, and stops without cutting off what runs.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { createServer } from "node:http"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as RequestId from "../../problems/RequestId.ts"
import * as AccessLog from "./AccessLog.ts"
import * as ClientErrors from "./ClientErrors.ts"
import type { Config } from "../config/Config.ts"
import * as Connections from "./Connections.ts"
import * as Continue from "./Continue.ts"
import * as Cors from "./Cors.ts"
import * as Listener from "./Listener.ts"
import * as Listening from "./Listening.ts"
import * as Gauges from "../metrics/Gauges.ts"
import * as RequestMetrics from "../metrics/RequestMetrics.ts"

/** The settings that it obeys. */
export type Options = Pick<
  Config,
  "accessLog" | "corsOrigins" | "host" | "idleTimeout" | "logFormat" | "port" | "shutdownTimeout"
>

export class HttpService extends Context.Service<
  HttpService,
  {
    /** Where it listens: what `port: 0` became, and the host as a URL spells it. */
    readonly url: string
  }
>()("@holdfast/http/server/listener/HttpService") {}

/** Milliseconds that a handler has to tell a client that it stands still, before the connection is cut off. */
const stallMargin = 1000

/**
 * Milliseconds by which an idle connection stays longer than one that stands still: a proxy that closes after as long
 * must be the first, since a request that meets our closing is lost.
 */
const keepAliveMargin = 5000

const headersTimeout = 60_000

/** `handler` makes the listener of the requests; its scope closes once they are done. */
export const layer = <E, R>(
  handler: Effect.Effect<Listener.RequestListener, E, R>,
  options: Options
): Layer.Layer<HttpService, E | Listening.ListenError, Exclude<R, Scope.Scope> | SecureRandom> =>
  Layer.effect(
    HttpService,
    Effect.gen(function* () {
      const requests = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
      const inner = yield* Scope.provide(handler, requests)
      const nameRequest = yield* RequestId.make
      const idle = Duration.toMillis(options.idleTimeout)
      const keepAliveTimeout = idle + keepAliveMargin
      const server = createServer({ requestTimeout: 0, headersTimeout, keepAliveTimeout })
      const connections = Connections.make(server, idle + stallMargin)
      const listener = Listener.make(inner, {
        connections,
        nameRequest,
        accessLog: options.accessLog ? yield* AccessLog.make(options.logFormat) : AccessLog.none,
        metrics: yield* RequestMetrics.make,
        cors: Cors.make(options.corsOrigins)
      })
      yield* Gauges.registerAll(connectionReadings(connections))
      ClientErrors.handle(server, connections, () => nameRequest(undefined))
      server.on("request", listener)
      server.on("checkContinue", (request, response) => {
        Continue.defer(request, response)
        listener(request, response)
      })
      const address = yield* Effect.acquireRelease(Listening.listen(server, options.host, options.port), () =>
        Listening.drain(server, options.shutdownTimeout)
      )
      // From here on an error is one of a single connection, such as too many open files.
      const fork = Effect.runForkWith(yield* Effect.context<never>())
      server.on("error", (error) => void fork(Effect.logError("The server could not take a connection", error)))
      return { url: Listening.urlOf(address) }
    })
  )

const connectionReadings = (connections: Connections.Connections): ReadonlyArray<Gauges.Reading> => [
  {
    name: "http_requests_in_flight",
    description: "Requests that are being answered.",
    kind: "gauge",
    read: connections.inFlight
  },
  {
    name: "http_received_bytes_total",
    description: "Bytes received, heads included.",
    kind: "counter",
    read: () => connections.traffic().received
  },
  {
    name: "http_sent_bytes_total",
    description: "Bytes sent, heads included.",
    kind: "counter",
    read: () => connections.traffic().sent
  }
]
