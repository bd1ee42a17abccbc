/**
 * The sockets of a server: counts their bytes, knows which request each one carries, and closes those that stall.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import * as ExpectContinue from "./ExpectContinue.ts"

/** Bytes. */
export interface Traffic {
  readonly received: number
  readonly sent: number
}

export interface Connections {
  /** Returns the bytes of all sockets since the server started, the open ones included. */
  readonly traffic: () => Traffic
  /** Returns the number of requests that have no complete response yet. */
  readonly inFlight: () => number
  /** Tracks a request from its beginning. The function that it returns gives the bytes so far of this request alone. */
  readonly track: (request: IncomingMessage, response: ServerResponse) => () => Traffic
  /** Returns the response to the current request of a socket. */
  readonly responseOn: (socket: Socket) => ServerResponse | undefined
}

interface ActiveRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/**
 * Whether the client causes the stall: it sends nothing or reads nothing. A handler that works for long is not a fault.
 */
const waitsForClient = ({ request, response }: ActiveRequest): boolean =>
  (!request.complete && request.readableLength === 0 && !ExpectContinue.isAwaited(request)) ||
  response.writableLength > 0 ||
  request.socket.writableLength > 0

/**
 * Tracks the sockets of a server. A socket that transfers nothing for `idle` milliseconds is closed if the client
 * causes it. Node's own `requestTimeout` is not used: it limits the duration of the whole request and would abort long
 * uploads.
 */
export const make = (server: Server, idle: number): Connections => {
  const open = new Set<Socket>()
  const busy = new Map<Socket, ActiveRequest>()
  /** The bytes of each socket at the end of its latest request. */
  const counted = new WeakMap<Socket, Traffic>()
  let receivedOnClosed = 0
  let sentOnClosed = 0

  server.on("connection", (socket: Socket) => {
    open.add(socket)
    socket.once("close", () => {
      open.delete(socket)
      busy.delete(socket)
      receivedOnClosed += socket.bytesRead
      sentOnClosed += socket.bytesWritten
    })
  })

  server.setTimeout(idle, (socket) => {
    const active = busy.get(socket)
    if (active === undefined || waitsForClient(active)) socket.destroy()
    else socket.setTimeout(idle)
  })

  return {
    traffic: () => {
      let [received, sent] = [receivedOnClosed, sentOnClosed]
      for (const socket of open) {
        received += socket.bytesRead
        sent += socket.bytesWritten
      }
      return { received, sent }
    },
    inFlight: () => busy.size,
    track: (request, response) => {
      const { socket } = request
      const active = { request, response }
      const before = counted.get(socket) ?? { received: 0, sent: 0 }
      busy.set(socket, active)
      response.once("close", () => {
        if (busy.get(socket) === active) busy.delete(socket)
      })
      return () => {
        const now = { received: socket.bytesRead, sent: socket.bytesWritten }
        counted.set(socket, now)
        return { received: now.received - before.received, sent: now.sent - before.sent }
      }
    },
    responseOn: (socket) => busy.get(socket)?.response
  }
}
