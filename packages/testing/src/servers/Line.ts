/**
 * A line between a client and a server of this machine, which a test cuts, slows down or lets hang.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"

export interface Line {
  readonly port: number
  /** Waits until so many more bytes have gone towards the server, then cuts every connection; others may follow. */
  readonly cutAfter: (bytes: number) => Effect.Effect<void>
  /** Cuts every connection now; others may follow. */
  readonly cut: Effect.Effect<void>
  /** From now on at most so many bytes pass in a second, towards the server, over each connection. */
  readonly slow: (bytesPerSecond: number) => Effect.Effect<void>
  /** From now on nothing passes towards the server; connections open, and stay. */
  readonly stall: Effect.Effect<void>
  /** What waits passes, as fast as it can. */
  readonly resume: Effect.Effect<void>
}

type Pace = "open" | "stalled" | { readonly bytesPerSecond: number }

/** Open until the scope closes. */
export const open = (to: number): Effect.Effect<Line, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    const waiting = new Set<() => void>()
    let pace: Pace = "open"
    let cut: { left: number; readonly done: () => void } | undefined

    const cutAll = () => {
      for (const socket of sockets) socket.destroy()
    }
    const hold = (socket: Socket) => {
      sockets.add(socket)
      socket.once("close", () => sockets.delete(socket))
      // What the other end did is told by the close.
      socket.on("error", () => {})
    }

    /** Hands one chunk on, when its time has come. */
    const pass = (near: Socket, far: Socket, chunk: Buffer) => {
      if (pace === "stalled") return void waiting.add(() => pass(near, far, chunk))
      const next = () => near.resume()
      const isTaken = far.write(chunk)
      if (cut !== undefined && (cut.left -= chunk.byteLength) <= 0) {
        const { done } = cut
        cut = undefined
        cutAll()
        return done()
      }
      if (pace !== "open") setTimeout(next, (chunk.byteLength / pace.bytesPerSecond) * 1000)
      else if (isTaken) next()
      else far.once("drain", next)
    }

    const server = yield* Effect.acquireRelease(
      Effect.callback<Server>((resume) => {
        const server = createServer((near) => {
          const far = connect(to, "127.0.0.1")
          for (const socket of [near, far]) hold(socket)
          near.once("close", () => far.destroy())
          far.once("close", () => near.destroy())
          near.on("data", (chunk) => {
            near.pause()
            pass(near, far, chunk)
          })
          far.pipe(near)
        }).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          cutAll()
        })
    )
    const { port } = server.address() as AddressInfo
    const set = (next: Pace) =>
      Effect.sync(() => {
        pace = next
        const all = [...waiting]
        waiting.clear()
        for (const retry of all) retry()
      })

    return {
      port,
      cutAfter: (bytes) =>
        Effect.callback((resume) => {
          cut = { left: bytes, done: () => resume(Effect.void) }
        }),
      cut: Effect.sync(cutAll),
      slow: (bytesPerSecond) => set({ bytesPerSecond }),
      stall: set("stalled"),
      resume: set("open")
    }
  })
