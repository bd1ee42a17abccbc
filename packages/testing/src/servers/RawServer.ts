/**
 * A TCP server that answers with bytes that no healthy HTTP server sends.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"

export interface RawServer {
  /** The server's URL, without a path. */
  readonly endpoint: string
  /** Returns how many bytes the clients have taken. */
  readonly sentBytes: () => number
}

/** Sends the text to each connection when its first bytes arrive, and nothing after it. Serves until the scope closes. */
export const open = (text: string): Effect.Effect<RawServer, never, Scope.Scope> =>
  serve((socket, write) => void write(socket, text))

/** Sends the text to each connection again and again, for as long as the client takes it. Serves until the scope closes. */
export const openEndless = (text: string): Effect.Effect<RawServer, never, Scope.Scope> => {
  const chunk = text.repeat(Math.ceil((64 * 1024) / text.length))
  return serve((socket, write) => {
    const send = () => {
      while (!socket.destroyed && write(socket, chunk));
    }
    socket.on("drain", send)
    send()
  })
}

type Write = (socket: Socket, text: string) => boolean

const serve = (answer: (socket: Socket, write: Write) => void): Effect.Effect<RawServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    let sent = 0
    const write: Write = (socket, text) => {
      sent += text.length
      return socket.write(text)
    }
    const server = yield* Effect.acquireRelease(
      Effect.callback<Server>((resume) => {
        const server = createServer((socket) => {
          sockets.add(socket)
          socket.on("close", () => sockets.delete(socket))
          // A client that gives up resets the connection.
          socket.on("error", () => {})
          socket.once("data", () => answer(socket, write))
        })
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          for (const socket of sockets) socket.destroy()
        })
    )
    return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sentBytes: () => sent }
  })
