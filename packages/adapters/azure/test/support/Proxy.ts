/**
 * A line between a client and a server that a test can cut.
 */
import * as Effect from "effect/Effect"
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"

/** Both ends of all connections through the line. */
const cutAll = (sockets: ReadonlySet<Socket>) =>
  Effect.sync(() => {
    for (const socket of sockets) socket.destroy()
  })

/**
 * A line to a server of this machine, until the scope closes. After `after` bytes towards the server, all together, it is
 * cut once.
 */
export const open = (to: number, after = Number.POSITIVE_INFINITY) =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    let sent = 0
    let isCut = false
    const hold = (socket: Socket) => {
      sockets.add(socket)
      socket.once("close", () => sockets.delete(socket))
      // What the other end did is told by the close.
      socket.on("error", () => {})
    }
    const server = yield* Effect.acquireRelease(
      Effect.callback<Server>((resume) => {
        const server = createServer((near) => {
          const far = connect(to, "127.0.0.1")
          for (const socket of [near, far]) hold(socket)
          near.once("close", () => far.destroy())
          far.once("close", () => near.destroy())
          near.on("data", (chunk) => {
            sent += chunk.byteLength
            if (sent < after || isCut) return
            isCut = true
            for (const socket of sockets) socket.destroy()
          })
          near.pipe(far)
          far.pipe(near)
        }).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.andThen(
          cutAll(sockets),
          Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
        )
    )
    const { port } = server.address() as AddressInfo
    return { port, cut: cutAll(sockets), wasCut: () => isCut }
  })
