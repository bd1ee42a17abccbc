/**
 * The memory of requests that have ended: collections of V8's young generation remove it, so that the old one does not grow with them.
 */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import { EventEmitter } from "node:events"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as Connections from "../../../src/server/listener/Connections.ts"

type Collect = (options: { readonly type: "minor" | "major" }) => void

/** Requests at a time, and in all. */
const [atOnce, requests] = [64, 16 * 1024]
/** Bytes of each request. */
const requestBytes = 4096
/** How much of all requests may reach the old generation, in bytes. */
const maxPromoted = (requests * requestBytes) / 16

const oldBytes = (): number =>
  getHeapSpaceStatistics().find((space) => space.space_name === "old_space")?.space_used_size ?? 0

describe("memory of ended requests", () => {
  let collect: Collect
  beforeAll(() => {
    setFlagsFromString("--expose-gc")
    collect = runInNewContext("gc") as Collect
  })

  /** Returns how much the old generation has grown while `handle` ran once for each request, without a full collection. */
  const promoted = (handle: (index: number, payload: ReadonlyArray<number>) => void): number => {
    collect({ type: "major" })
    const before = oldBytes()
    for (let i = 0; i < requests; i++) {
      handle(
        i,
        Array.from({ length: requestBytes / 8 }, () => i)
      )
      if (i % (4 * atOnce) === 0) collect({ type: "minor" })
    }
    return oldBytes() - before
  }

  it("64 sockets, one request after the other on each → the requests do not reach the old generation", () => {
    const server = Object.assign(new EventEmitter(), { setTimeout: () => undefined })
    const connections = Connections.make(server as unknown as Server, {
      idle: 60_000,
      maxWaitingBytes: 1024,
      minimumRate: { bytesPerSecond: 0, window: Duration.seconds(60) }
    })
    const sockets = Array.from({ length: atOnce }, () => {
      const socket = Object.assign(new EventEmitter(), { bytesRead: 0, bytesWritten: 0, writableLength: 0 })
      server.emit("connection", socket)
      return socket
    })
    const responses: Array<EventEmitter> = []
    const growth = promoted((index, payload) => {
      const at = index % atOnce
      responses[at]?.emit("close")
      const response = (responses[at] = new EventEmitter())
      const request = { socket: sockets[at], payload, complete: true } as unknown as IncomingMessage
      connections.track(request, response as unknown as ServerResponse)
    })
    server.emit("close")
    assert.strictEqual(connections.inFlight(), atOnce)
    assert.isBelow(growth, maxPromoted)
  })
})
