/**
 * The Node HTTP server of the standalone service: its timeouts, its listeners and its orderly stop.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { createServer, type RequestListener } from "node:http"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as RequestId from "../../problems/RequestId.ts"
import type { Config } from "../config/Config.ts"
import * as ObservableMetrics from "../metrics/ObservableMetrics.ts"
import * as RequestMetrics from "../metrics/RequestMetrics.ts"
import * as AccessLog from "./AccessLog.ts"
import * as ClientErrors from "./ClientErrors.ts"
import * as Connections from "./Connections.ts"
import * as Cors from "./Cors.ts"
import * as ExpectContinue from "./ExpectContinue.ts"
import * as OuterListener from "./OuterListener.ts"
import * as ServerLifecycle from "./ServerLifecycle.ts"

/** The settings that the server uses. */
export type Options = Pick<
  Config,
  "accessLog" | "corsOrigins" | "host" | "idleTimeout" | "logFormat" | "port" | "shutdownTimeout"
>

export class StandaloneServer extends Context.Service<
  StandaloneServer,
  {
    /** The URL that the server listens on, with the port that was selected if the setting is 0. */
    readonly url: string
  }
>()("@holdfast/http/server/listener/StandaloneServer") {}

/** Milliseconds that a handler has to report a stall to the client before the server closes the connection. */
const stallMargin = 1000

/**
 * Milliseconds by which an idle connection outlives a stalled one. A proxy with the same idle timeout must close first:
 * a request that it sends while the server closes the connection is lost.
 */
const keepAliveMargin = 5000

/** Milliseconds in which the header section of a request must arrive. */
const headersTimeout = 60_000

/** Builds the server and starts listening. The scope of `handler` closes after the server has drained. */
export const layer = <E, R>(
  handler: Effect.Effect<RequestListener, E, R>,
  options: Options
): Layer.Layer<StandaloneServer, E | ServerLifecycle.ListenError, Exclude<R, Scope.Scope> | SecureRandom> =>
  Layer.effect(
    StandaloneServer,
    Effect.gen(function* () {
      const handlerScope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
      const inner = yield* Scope.provide(handler, handlerScope)
      const assignRequestId = yield* RequestId.makeAssigner
      const idle = Duration.toMillis(options.idleTimeout)
      const keepAliveTimeout = idle + keepAliveMargin
      const server = createServer({ requestTimeout: 0, headersTimeout, keepAliveTimeout })
      const connections = Connections.make(server, idle + stallMargin)
      const listener = OuterListener.make(inner, {
        connections,
        assignRequestId,
        accessLog: options.accessLog ? yield* AccessLog.make(options.logFormat) : AccessLog.disabled,
        metrics: yield* RequestMetrics.make,
        cors: Cors.make(options.corsOrigins)
      })
      yield* ObservableMetrics.registerAll(connectionMetrics(connections))
      ClientErrors.handle(server, connections, () => assignRequestId(undefined))
      server.on("request", listener)
      server.on("checkContinue", (request, response) => {
        ExpectContinue.defer(request, response)
        listener(request, response)
      })
      const address = yield* Effect.acquireRelease(ServerLifecycle.listen(server, options.host, options.port), () =>
        ServerLifecycle.drain(server, options.shutdownTimeout)
      )
      // Once the server listens, an error concerns one connection only, for example too many open files.
      const fork = Effect.runForkWith(yield* Effect.context<never>())
      server.on("error", (error) => void fork(Effect.logError("connection not accepted", error)))
      return { url: ServerLifecycle.urlOf(address) }
    })
  )

const connectionMetrics = (connections: Connections.Connections): ReadonlyArray<ObservableMetrics.ObservableMetric> => [
  {
    name: "http_requests_in_flight",
    description: "Requests without a complete response.",
    kind: "gauge",
    read: connections.inFlight
  },
  {
    name: "http_received_bytes_total",
    description: "Bytes received, headers included.",
    kind: "counter",
    read: () => connections.traffic().received
  },
  {
    name: "http_sent_bytes_total",
    description: "Bytes sent, headers included.",
    kind: "counter",
    read: () => connections.traffic().sent
  }
]
