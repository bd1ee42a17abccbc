/**
 * A TCP server that answers with bytes that no healthy HTTP server sends.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"

/**
 * Sends the text to each connection when its first bytes arrive, and nothing after it. Serves until the scope closes. Returns the
 * server's URL, without a path.
 */
export const open = (text: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    const server = yield* Effect.acquireRelease(
      Effect.callback<Server>((resume) => {
        const server = createServer((socket) => {
          sockets.add(socket)
          socket.on("close", () => sockets.delete(socket))
          // A client that gives up resets the connection.
          socket.on("error", () => {})
          socket.once("data", () => socket.write(text))
        })
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          for (const socket of sockets) socket.destroy()
        })
    )
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
