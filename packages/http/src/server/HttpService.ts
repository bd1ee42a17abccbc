/**
 * The Node server: it listens, hands requests on, and stops without cutting off what runs.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as RequestId from "../problems/RequestId.ts"
import * as AccessLog from "./AccessLog.ts"
import * as ClientErrors from "./ClientErrors.ts"
import type { Config } from "./Config.ts"
import * as Connections from "./Connections.ts"
import * as Continue from "./Continue.ts"
import * as Cors from "./Cors.ts"
import * as Listener from "./Listener.ts"
import * as Gauges from "./metrics/Gauges.ts"
import * as RequestMetrics from "./metrics/RequestMetrics.ts"

/** The settings that it obeys. */
export type Options = Pick<
  Config,
  "accessLog" | "corsOrigins" | "host" | "idleTimeout" | "logFormat" | "port" | "shutdownTimeout"
>

/** Nothing can listen there. */
export class ListenError extends Data.TaggedError("ListenError")<{
  readonly host: string
  readonly port: number
  readonly cause: NodeJS.ErrnoException
}> {
  override get message(): string {
    const place = `${this.host}:${this.port}`
    switch (this.cause.code) {
      case "EADDRINUSE":
        return `${place} is in use by another process. Stop it, or choose another port with --port.`
      case "EACCES":
        return `${place} may not be listened on by this user. Choose a port above 1023 with --port.`
      case "EADDRNOTAVAIL":
      case "ENOTFOUND":
        return `${place} is no address of this machine. Choose another with --host.`
      default:
        return `${place} cannot be listened on: ${this.cause.message}`
    }
  }
}

export class HttpService extends Context.Service<
  HttpService,
  {
    /** Where it listens: what `port: 0` became, and the host as a URL spells it. */
    readonly url: string
  }
>()("@holdfast/http/server/HttpService") {}

/** Above what load balancers keep a connection idle for (60 s as a rule): who closes first must not be us. */
const keepAliveTimeout = 65_000

const headersTimeout = 60_000

/** Milliseconds between two looks for connections that have become idle. */
const drainInterval = 50

const listen = (server: Server, { host, port }: Options) =>
  Effect.callback<AddressInfo, ListenError>((resume) => {
    const failed = (cause: NodeJS.ErrnoException) => resume(Effect.fail(new ListenError({ host, port, cause })))
    server.once("error", failed)
    server.listen({ host, port }, () => {
      server.off("error", failed)
      const address = server.address()
      resume(
        address === null || typeof address === "string"
          ? Effect.die(new Error("The server listens on no address."))
          : Effect.succeed(address)
      )
    })
  })

/** Takes no new connection and waits for the requests under way; cuts them off when the time is up. */
const drain = (server: Server, limit: Duration.Duration): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    // A connection becomes idle when its response ends, and would then wait for a next request.
    const timer = setInterval(() => server.closeIdleConnections(), drainInterval)
    server.close(() => {
      clearInterval(timer)
      resume(Effect.void)
    })
    server.closeIdleConnections()
    return Effect.sync(() => clearInterval(timer))
  }).pipe(
    Effect.timeoutOrElse({
      duration: limit,
      orElse: () =>
        Effect.andThen(
          Effect.logWarning("Requests that did not finish in time were cut off"),
          Effect.sync(() => server.closeAllConnections())
        )
    })
  )

const urlOf = ({ address, family, port }: AddressInfo): string =>
  `http://${family === "IPv6" ? `[${address}]` : address}:${port}`

/** `handler` makes the listener of the requests; its scope closes once they are done. */
export const layer = <E, R>(
  handler: Effect.Effect<Listener.RequestListener, E, R>,
  options: Options
): Layer.Layer<HttpService, E | ListenError, Exclude<R, Scope.Scope> | SecureRandom> =>
  Layer.effect(
    HttpService,
    Effect.gen(function* () {
      const requests = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
      const inner = yield* Scope.provide(handler, requests)
      const nameRequest = yield* RequestId.make
      const server = createServer({ requestTimeout: 0, headersTimeout, keepAliveTimeout })
      const connections = Connections.make(server, Duration.toMillis(options.idleTimeout))
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
      const address = yield* Effect.acquireRelease(listen(server, options), () => drain(server, options.shutdownTimeout))
      return { url: urlOf(address) }
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
