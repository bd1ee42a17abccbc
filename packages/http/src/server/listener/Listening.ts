/**
 * How a server begins to listen, and how it ends without cutting off what runs.
 */
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"

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

/** Milliseconds between two looks for connections that have become idle. */
const drainInterval = 50

/** Listens; where, with the port that `0` became. */
export const listen = (server: Server, host: string, port: number): Effect.Effect<AddressInfo, ListenError> =>
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
export const drain = (server: Server, limit: Duration.Duration): Effect.Effect<void> =>
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

/** An address as a URL spells it. */
export const urlOf = ({ address, family, port }: AddressInfo): string =>
  `http://${family === "IPv6" ? `[${address}]` : address}:${port}`
