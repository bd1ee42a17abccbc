/**
 * The sockets of a server: how much went over them, which wait for their client, and how they are closed.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import * as Continue from "./Continue.ts"

export interface Traffic {
  readonly received: number
  readonly sent: number
}

export interface Connections {
  /** Bytes over all sockets so far, the open ones included. */
  readonly traffic: () => Traffic
  /** Requests under way. */
  readonly inFlight: () => number
  /** A request has begun; the result tells what went over its socket for it so far. */
  readonly begin: (request: IncomingMessage, response: ServerResponse) => () => Traffic
  /** The response that a socket is busy with. */
  readonly current: (socket: Socket) => ServerResponse | undefined
}

interface Entry {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** Whether nothing moves because the client sends nothing or takes nothing; a handler that takes its time is no fault. */
const waitsForClient = ({ request, response }: Entry): boolean =>
  (!request.complete && request.readableLength === 0 && !Continue.isAwaited(request)) ||
  response.writableLength > 0 ||
  request.socket.writableLength > 0

/**
 * Follows a server's sockets. A socket on which nothing moves for `idle` milliseconds is closed when that is the
 * client's doing: Node's own limit counts the whole request instead, and would cut every long upload.
 */
export const make = (server: Server, idle: number): Connections => {
  const open = new Set<Socket>()
  const busy = new Map<Socket, Entry>()
  const marks = new WeakMap<Socket, Traffic>()
  let received = 0
  let sent = 0

  server.on("connection", (socket: Socket) => {
    open.add(socket)
    socket.once("close", () => {
      open.delete(socket)
      busy.delete(socket)
      received += socket.bytesRead
      sent += socket.bytesWritten
    })
  })

  server.setTimeout(idle, (socket) => {
    const entry = busy.get(socket)
    if (entry === undefined || waitsForClient(entry)) socket.destroy()
    else socket.setTimeout(idle)
  })

  return {
    traffic: () => {
      let [all, out] = [received, sent]
      for (const socket of open) {
        all += socket.bytesRead
        out += socket.bytesWritten
      }
      return { received: all, sent: out }
    },
    inFlight: () => busy.size,
    begin: (request, response) => {
      const { socket } = request
      const entry = { request, response }
      const before = marks.get(socket) ?? { received: 0, sent: 0 }
      busy.set(socket, entry)
      response.once("close", () => {
        if (busy.get(socket) === entry) busy.delete(socket)
      })
      return () => {
        const now = { received: socket.bytesRead, sent: socket.bytesWritten }
        marks.set(socket, now)
        return { received: now.received - before.received, sent: now.sent - before.sent }
      }
    },
    current: (socket) => busy.get(socket)?.response
  }
}
