/**
 * Starts a server and stops it without cutting off running requests.
 */
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import type * as Connections from "./Connections.ts"

/** The server cannot listen on this address. */
export class ListenError extends Data.TaggedError("ListenError")<{
  readonly host: string
  readonly port: number
  /** The command-line options of the address. */
  readonly options: { readonly host: string; readonly port: string }
  readonly cause: NodeJS.ErrnoException
}> {
  override get message(): string {
    const address = `${this.host}:${this.port}`
    switch (this.cause.code) {
      case "EADDRINUSE":
        return `${address} is in use by another process. Stop it, or choose another port with ${this.options.port}.`
      case "EACCES":
        return `This user may not listen on ${address}. Choose a port above 1023 with ${this.options.port}.`
      case "EADDRNOTAVAIL":
      case "ENOTFOUND":
        return `${address} is not an address of this machine. Choose another one with ${this.options.host}.`
      default:
        return `The service cannot listen on ${address}: ${this.cause.message}`
    }
  }
}

/** Milliseconds between two calls of `closeIdle` while the server stops. */
const closeIdleInterval = 50

/** An address to listen on, and the command-line options for it, which errors name. */
export type ListenAddress = Pick<ListenError, "host" | "port" | "options">

/** Starts listening. Returns the address; its port is the one that was selected if `port` is 0. */
export const listen = (
  server: Server,
  { host, options, port }: ListenAddress
): Effect.Effect<AddressInfo, ListenError> =>
  Effect.callback<AddressInfo, ListenError>((resume) => {
    const onError = (cause: NodeJS.ErrnoException) =>
      resume(Effect.fail(new ListenError({ host, port, options, cause })))
    server.once("error", onError)
    server.listen({ host, port }, () => {
      server.off("error", onError)
      const address = server.address()
      resume(
        address === null || typeof address === "string"
          ? Effect.die(new Error("The server does not listen on an IP address."))
          : Effect.succeed(address)
      )
    })
  })

/** Milliseconds that the event loop may take for one turn in which it had next to nothing to do. */
const quietTurn = 0.1

/** Turns of the event loop after which a busy server does not wait for a quiet one any longer. */
const maxTurns = 1000

/**
 * Waits for a turn of the event loop in which nothing happened. The kernel resets connections that it has accepted and the
 * server has not, with the requests in them; right after such a turn there are none.
 */
const untilQuiet: Effect.Effect<void> = Effect.callback((resume) => {
  let turns = 0
  const wait = (before: number) =>
    setImmediate(() => {
      const now = performance.now()
      if (now - before < quietTurn || ++turns >= maxTurns) return resume(Effect.void)
      wait(now)
    })
  wait(0)
})

/** Stops accepting connections and waits for the running requests. Closes all connections after `limit`. */
export const drain = (
  server: Server,
  { closeIdle }: Pick<Connections.Connections, "closeIdle">,
  limit: Duration.Duration
): Effect.Effect<void> =>
  Effect.andThen(
    untilQuiet,
    Effect.callback<void>((resume) => {
      // A connection becomes idle when its response is complete. It would then wait for its next request.
      const timer = setInterval(closeIdle, closeIdleInterval)
      // `close` calls it.
      server.closeIdleConnections = closeIdle
      server.close(() => {
        clearInterval(timer)
        resume(Effect.void)
      })
      return Effect.sync(() => clearInterval(timer))
    })
  ).pipe(
    Effect.timeoutOrElse({
      duration: limit,
      orElse: () =>
        Effect.andThen(
          Effect.logWarning("shutdown timeout reached; connections with running requests closed"),
          Effect.sync(() => server.closeAllConnections())
        )
    })
  )

/** Returns the URL of an address. */
export const urlOf = ({ address, family, port }: AddressInfo): string =>
  `http://${family === "IPv6" ? `[${address}]` : address}:${port}`
