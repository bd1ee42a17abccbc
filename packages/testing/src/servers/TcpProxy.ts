/**
 * A TCP proxy in front of a server on this machine. A test cuts its connections, throttles them or stalls them.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"

export interface TcpProxy {
  /** The port of the loopback interface to connect to. */
  readonly port: number
  /** Waits until so many more bytes have gone to the server, then cuts every connection. New connections work. */
  readonly cutAfter: (bytes: number) => Effect.Effect<void>
  /** Cuts every connection. New connections work. */
  readonly cut: Effect.Effect<void>
  /** Limits the bytes per second to the server, for each connection. */
  readonly throttle: (bytesPerSecond: number) => Effect.Effect<void>
  /** Stops forwarding to the server. Connections open, and stay open. */
  readonly stall: Effect.Effect<void>
  /** Leads to another port from now on. Cuts every connection. */
  readonly leadTo: (port: number) => Effect.Effect<void>
  /** Ends `throttle` and `stall`: forwards what has accumulated. */
  readonly resume: Effect.Effect<void>
}

type Mode = "open" | "stalled" | { readonly bytesPerSecond: number }

/** Opens a proxy to a port of the loopback interface, until the scope closes. */
export const open = (to: number): Effect.Effect<TcpProxy, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    /** Chunks that arrived while the proxy was stalled. */
    const stalled = new Set<() => void>()
    let mode: Mode = "open"
    let target = to
    let cut: { left: number; readonly done: () => void } | undefined

    const cutAll = () => {
      for (const socket of sockets) socket.destroy()
    }
    const track = (socket: Socket) => {
      sockets.add(socket)
      socket.once("close", () => sockets.delete(socket))
      // An error is followed by the close, which the other socket of the pair reacts to.
      socket.on("error", () => {})
    }

    /** Forwards one chunk as the mode permits, and then reads the next one. */
    const forward = (client: Socket, server: Socket, chunk: Buffer) => {
      if (mode === "stalled") return void stalled.add(() => forward(client, server, chunk))
      const next = () => client.resume()
      const hasRoom = server.write(chunk)
      if (cut !== undefined && (cut.left -= chunk.byteLength) <= 0) {
        const { done } = cut
        cut = undefined
        cutAll()
        return done()
      }
      if (mode !== "open") setTimeout(next, (chunk.byteLength / mode.bytesPerSecond) * 1000)
      else if (hasRoom) next()
      else server.once("drain", next)
    }

    const listener = yield* Effect.acquireRelease(
      Effect.callback<Server>((resume) => {
        const listener = createServer((client) => {
          const server = connect(target, "127.0.0.1")
          for (const socket of [client, server]) track(socket)
          client.once("close", () => server.destroy())
          server.once("close", () => client.destroy())
          client.on("data", (chunk) => {
            client.pause()
            forward(client, server, chunk)
          })
          server.pipe(client)
        }).listen(0, "127.0.0.1", () => resume(Effect.succeed(listener)))
      }),
      (listener) =>
        Effect.callback<void>((resume) => {
          listener.close(() => resume(Effect.void))
          cutAll()
        })
    )
    const { port } = listener.address() as AddressInfo
    const setMode = (next: Mode) =>
      Effect.sync(() => {
        mode = next
        const all = [...stalled]
        stalled.clear()
        for (const retry of all) retry()
      })

    return {
      port,
      cutAfter: (bytes) =>
        Effect.callback((resume) => {
          cut = { left: bytes, done: () => resume(Effect.void) }
        }),
      cut: Effect.sync(cutAll),
      throttle: (bytesPerSecond) => setMode({ bytesPerSecond }),
      leadTo: (port) =>
        Effect.sync(() => {
          target = port
          cutAll()
        }),
      stall: setMode("stalled"),
      resume: setMode("open")
    }
  })
