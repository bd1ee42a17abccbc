/**
 * Clients that read or send almost nothing, and keep their connections.
 */
import { connect, type Socket } from "node:net"
import * as Effect from "effect/Effect"
import type { BenchFailure } from "../../support/run/BenchFailure.ts"
import * as MemoryMeter from "../../support/stats/MemoryMeter.ts"
import type { Operation } from "../Operation.ts"
import type { Site } from "../Site.ts"

/** Opens connections that send a text each and then read nothing. They are cut with the scope. */
const openAll = (site: Site, text: string, count = site.sizes.slowClients) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      Array.from({ length: count }, () => {
        const socket = connect(site.service.port, "127.0.0.1")
        socket.on("error", () => {})
        socket.write(text)
        socket.pause()
        return socket
      })
    ),
    (sockets: ReadonlyArray<Socket>) =>
      Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
      })
  )

/** Returns by how much the memory of the service grows meanwhile. */
const withMemory = (site: Site, work: Effect.Effect<number, BenchFailure>) =>
  Effect.gen(function* () {
    const { pid } = site.service.holdfast
    const before = yield* MemoryMeter.ofProcess(pid)
    const open = yield* work
    const grown = (yield* MemoryMeter.ofProcess(pid)) - before
    return `${open} connections open at the end, memory + ${(grown / 1024 ** 2).toFixed(0)} MiB`
  })

const countOpen = (sockets: ReadonlyArray<Socket>): number => sockets.filter(({ closed }) => !closed).length

export const slowReaders: Operation = {
  name: "slow-readers",
  description: "very many clients that request a large file and read nothing",
  prepare: Effect.fnUntraced(function* (site) {
    const { attacker, sizes } = site
    const id = yield* site.store(sizes.largeBytes)
    const text = `GET ${attacker.files(`/${id}/view`)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`
    const read = Effect.gen(function* () {
      const sockets = yield* openAll(site, text)
      yield* Effect.sleep(sizes.seconds * 1000)
      return countOpen(sockets)
    })
    const work = withMemory(site, Effect.scoped(read))
    return { work }
  })
}

export const slowUploads: Operation = {
  name: "slow-uploads",
  description: "very many uploads that send one byte per second",
  prepare: (site) =>
    Effect.sync(() => {
      const { attacker, sizes } = site
      const send = Effect.gen(function* () {
        const ids = yield* Effect.forEach(Array.from({ length: Math.min(sizes.slowClients, 100) }).keys(), () =>
          attacker.reserve(site.uniqueName("slow"))
        )
        const sockets = (yield* Effect.forEach(ids, (id) => {
          const head = `POST ${attacker.files(`/${id}/reupload`)} HTTP/1.1\r\nHost: 127.0.0.1\r\n`
          const text = `${head}Content-Type: application/octet-stream\r\nContent-Length: 1000000\r\n\r\n`
          return openAll(site, text, sizes.slowClients / ids.length)
        })).flat()
        for (let second = 0; second < sizes.seconds; second++) {
          for (const socket of sockets) socket.write("x")
          yield* Effect.sleep("1 second")
        }
        return countOpen(sockets)
      })
      return { work: withMemory(site, Effect.scoped(send)) }
    })
}

export const idleConnections: Operation = {
  name: "idle-connections",
  description: "very many connections that send half of a request's head",
  prepare: (site) =>
    Effect.sync(() => {
      const { seconds } = site.sizes
      const hold = Effect.gen(function* () {
        const sockets = yield* openAll(site, "GET /api/v1/me HTTP/1.1\r\nHost: 127.0.0.1\r\nX-")
        yield* Effect.sleep(seconds * 1000)
        return countOpen(sockets)
      })
      return { work: withMemory(site, Effect.scoped(hold)) }
    })
}
