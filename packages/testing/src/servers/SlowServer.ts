/**
 * A server that never completes a response, and never stops sending it either.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"

/** What the server does once a connection is open. */
export type Behaviour = "sends nothing" | "sends one header line after the other" | "sends one byte after the other"

/** The interval between two lines or bytes, in milliseconds. */
const interval = 20

const begin: { readonly [B in Behaviour]: string } = {
  "sends nothing": "",
  "sends one header line after the other": "HTTP/1.1 200 OK\r\n",
  "sends one byte after the other":
    "HTTP/1.1 200 OK\r\ncontent-type: application/xml\r\ncontent-length: 1000000\r\n\r\n"
}

const next: { readonly [B in Behaviour]: string } = {
  "sends nothing": "",
  "sends one header line after the other": "x-a: b\r\n",
  "sends one byte after the other": " "
}

/** Serves until the scope closes. Returns host and port. */
export const open = (behaviour: Behaviour): Effect.Effect<string, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    const serve = (socket: Socket) => {
      sockets.add(socket)
      const timer = setInterval(() => socket.write(next[behaviour]), interval)
      socket.on("close", () => {
        clearInterval(timer)
        sockets.delete(socket)
      })
      // A client that gives up resets the connection.
      socket.on("error", () => {})
      socket.resume().write(begin[behaviour])
    }
    const server = yield* Effect.acquireRelease(
      Effect.callback<Server>((resume) => {
        const server = createServer(serve)
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          for (const socket of sockets) socket.destroy()
        })
    )
    return `127.0.0.1:${(server.address() as AddressInfo).port}`
  })
