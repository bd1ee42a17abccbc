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
import * as ObservableMetrics from "../../operator/ObservableMetrics.ts"
import * as RequestMetrics from "../metrics/RequestMetrics.ts"
import * as AccessLog from "./AccessLog.ts"
import * as ClientErrors from "./ClientErrors.ts"
import * as ConnectionLimits from "./ConnectionLimits.ts"
import * as Connections from "./Connections.ts"
import * as Cors from "./Cors.ts"
import * as Draining from "../../operator/Draining.ts"
import * as ExpectContinue from "./ExpectContinue.ts"
import * as OuterListener from "./OuterListener.ts"
import { PacedRequest } from "./pacing/PacedRequest.ts"
import * as PacedResponse from "./pacing/PacedResponse.ts"
import * as ServerLifecycle from "./ServerLifecycle.ts"

/** The settings that the server uses. */
export type Options = Pick<
  Config,
  | "accessLog"
  | "corsOrigins"
  | "drainDelay"
  | "host"
  | "idleTimeout"
  | "logFormat"
  | "maxConnections"
  | "maxConnectionsPerAddress"
  | "maxWaitingBytes"
  | "minRate"
  | "minRateWindow"
  | "port"
  | "shutdownTimeout"
  | "trustedProxies"
> &
  Partial<Pick<Config, "operatorHost" | "operatorPort">>

export class StandaloneServer extends Context.Service<
  StandaloneServer,
  {
    /** The URL that the server listens on, with the port that was selected if the setting is 0. */
    readonly url: string
    /** The URL of the operator's listener; undefined without one. */
    readonly operatorUrl: string | undefined
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

/** How long running requests of the operator's listener may take when the service stops. They are short. */
const operatorDrain = Duration.seconds(1)

/** What one listener has of its own. */
interface Listener {
  readonly handler: RequestListener
  readonly address: ServerLifecycle.ListenAddress
  readonly cors: Cors.Cors | undefined
  /** How long running requests may take when the listener closes. */
  readonly drain: Duration.Duration
}

/** A listener that accepts connections. */
interface Opened {
  readonly connections: Connections.Connections
  readonly limits: ConnectionLimits.ConnectionLimits
  readonly url: string
}

/** Opens a listener until the scope closes. */
const open = Effect.fnUntraced(function* (
  { address, cors, drain, handler }: Listener,
  options: Options,
  shared: Pick<OuterListener.Options, "accessLog" | "assignRequestId" | "draining" | "metrics">
) {
  const idle = Duration.toMillis(options.idleTimeout)
  const keepAliveTimeout = idle + keepAliveMargin
  const server = createServer({
    requestTimeout: 0,
    headersTimeout,
    keepAliveTimeout,
    IncomingMessage: PacedRequest,
    ServerResponse: PacedResponse.PacedResponse
  })
  const connections = Connections.make(server, {
    idle: idle + stallMargin,
    maxWaitingBytes: options.maxWaitingBytes,
    minimumRate: { bytesPerSecond: options.minRate, window: options.minRateWindow }
  })
  const newRequestId = () => shared.assignRequestId(undefined)
  // Each listener has its own limits, so that clients cannot take the connections of the operator.
  const limits = ConnectionLimits.enforce(server, options, newRequestId)
  const listener = OuterListener.make(handler, {
    ...shared,
    connections,
    cors,
    trustedProxies: options.trustedProxies
  })
  ClientErrors.handle(server, connections, newRequestId)
  server.on("request", listener)
  server.on("checkContinue", (request, response) => {
    ExpectContinue.defer(request, response)
    listener(request, response)
  })
  // RFC 9110, section 10.1.1, permits a server to ignore other expectations, as Amazon S3 does. Node would refuse them with 417,
  // outside of the access log.
  server.on("checkExpectation", listener)
  const opened = yield* Effect.acquireRelease(ServerLifecycle.listen(server, address), () =>
    ServerLifecycle.drain(server, connections, drain)
  )
  // Once the server listens, an error concerns one connection only, for example too many open files.
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  server.on("error", (error) => void fork(Effect.logError("connection not accepted", error)))
  return { connections, limits, url: ServerLifecycle.urlOf(opened) }
})

/** Makes balancers and clients go to other nodes, and waits while they do so. */
const drain = Effect.fnUntraced(function* (
  draining: ReturnType<typeof Draining.make>,
  servers: ReadonlyArray<Opened>,
  delay: Duration.Duration
) {
  draining.begin()
  for (const { connections } of servers) connections.closeAfterResponses()
  if (Duration.isZero(delay)) return
  yield* Effect.logInfo("draining; not ready from now on").pipe(Effect.annotateLogs({ delay: Duration.format(delay) }))
  yield* Effect.sleep(delay)
})

/**
 * Builds the server and starts listening. The scope of the handlers closes after the server has drained.
 *
 * When the scope closes, the listeners accept and answer requests for the drain delay, while readiness fails and each answer
 * closes its connection. Then the listeners close, and running requests continue.
 *
 * @param operator Handler of the operator's listener, if the options have a port for it. It opens last and closes first: a load
 *   balancer that checks the service there sends it requests only while it accepts them.
 */
export const layer = <E, R, E2 = never, R2 = never>(
  handler: Effect.Effect<RequestListener, E, R>,
  options: Options,
  operator?: Effect.Effect<RequestListener, E2, R2>
): Layer.Layer<StandaloneServer, E | E2 | ServerLifecycle.ListenError, Exclude<R | R2, Scope.Scope> | SecureRandom> =>
  Layer.effect(
    StandaloneServer,
    Effect.gen(function* () {
      const draining = Draining.make()
      const buildHandler = <A, E3, R3>(handler: Effect.Effect<A, E3, R3>) =>
        Scope.provide(Effect.provideService(handler, Draining.Draining, draining), handlerScope)
      const handlerScope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
      const shared = {
        draining,
        assignRequestId: yield* RequestId.makeAssigner,
        accessLog: options.accessLog ? yield* AccessLog.make(options.logFormat) : AccessLog.disabled,
        metrics: yield* RequestMetrics.make
      }
      const main = yield* open(
        {
          handler: yield* buildHandler(handler),
          address: { host: options.host, port: options.port, options: { host: "--host", port: "--port" } },
          cors: Cors.make(options.corsOrigins),
          drain: options.shutdownTimeout
        },
        options,
        shared
      )
      const port = options.operatorPort
      const forOperator =
        operator === undefined || port === undefined
          ? undefined
          : yield* open(
              {
                handler: yield* buildHandler(operator),
                address: {
                  host: options.operatorHost ?? "127.0.0.1",
                  port,
                  options: { host: "--operator-host", port: "--operator-port" }
                },
                cors: undefined,
                drain: operatorDrain
              },
              options,
              shared
            )
      const opened = forOperator === undefined ? [main] : [main, forOperator]
      yield* Effect.addFinalizer(() => drain(draining, opened, options.drainDelay))
      yield* ObservableMetrics.registerAll(connectionMetrics(main.connections, main.limits))
      return { url: main.url, operatorUrl: forOperator?.url }
    })
  )

const connectionMetrics = (
  connections: Connections.Connections,
  limits: ConnectionLimits.ConnectionLimits
): ReadonlyArray<ObservableMetrics.ObservableMetric> => [
  {
    name: "http_connections_open",
    description: "Open connections.",
    kind: "gauge",
    read: limits.open
  },
  {
    name: "http_connections_refused_total",
    description: "Connections that were refused because there were too many.",
    kind: "counter",
    read: limits.refused
  },
  {
    name: "http_connections_shed_total",
    description: "Connections that were closed because their responses or requests took much memory.",
    kind: "counter",
    read: connections.shed
  },
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
