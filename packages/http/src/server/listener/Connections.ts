/**
 * The sockets of a server: counts their bytes, knows which requests each one carries, and closes those that stall or take much memory.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import * as Duration from "effect/Duration"
import * as AddressGroup from "../../incoming/AddressGroup.ts"
import * as CollectedBodies from "../../incoming/CollectedBodies.ts"
import * as Pipelining from "../../incoming/Pipelining.ts"
import * as RequestTurns from "../../incoming/RequestTurns.ts"
import * as MinimumRate from "../../transfer/MinimumRate.ts"
import * as ExpectContinue from "./ExpectContinue.ts"
import { PacedRequest } from "./pacing/PacedRequest.ts"
import { PacedResponse } from "./pacing/PacedResponse.ts"
import * as ReadTurns from "./pacing/ReadTurns.ts"

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
  /** Returns the number of connections that were closed since the server started because they took much memory. */
  readonly shed: () => number
  /** Tracks a request from its beginning. The function that it returns gives the bytes so far of this request alone. */
  readonly track: (request: IncomingMessage, response: ServerResponse) => () => Traffic
  /** Whether a request came after too many others of its connection, so that nothing is to be done for it, see `Pipelining`. */
  readonly ignores: Pipelining.Pipelining["ignores"]
  /** Starts a request that is tracked, see `Pipelining`. */
  readonly start: Pipelining.Pipelining["start"]
  /** Makes each connection close after the response to its current request, as far as the head of the response is not sent. */
  readonly closeAfterResponses: () => void
  /**
   * Closes the connections that wait for their next request. Node's `closeIdleConnections` also closes those whose clients have yet to
   * read the last bytes of a response.
   */
  readonly closeIdle: () => void
  /** Returns the response to the current request of a socket. */
  readonly responseOn: (socket: Socket) => ServerResponse | undefined
}

interface ActiveRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Milliseconds of the monotonic clock, and the bytes that the socket had transferred and received, when the request began. */
  readonly begun: number
  readonly transferredBefore: number
  readonly receivedBefore: number
  /** Created at the first sample: most requests end before one. */
  meter: MinimumRate.Meter | undefined
  /** The bytes of the socket at the latest sample. */
  transferred: number
}

/**
 * What is known of an open socket. A request changes this object, and no `Map` of requests: V8 replaces the table of a `Map` after some
 * changes, and each former table refers to the next one. Once one of them is in the old generation of the heap, all later ones get
 * there with the requests in them, until V8 collects the whole heap.
 */
interface OpenSocket {
  /** The request that has no complete response yet. */
  active: ActiveRequest | undefined
  /** The request that was answered before its client had sent all of it. */
  unread: IncomingMessage | undefined
  /** The bytes at the end of the latest request. */
  counted: Traffic
  /** The URL of the latest request. */
  url: string
  /** Whether a request has been received and answered completely since which no other began. */
  isIdle: boolean
}

/** Milliseconds between two sums of the bytes that wait for clients, while there are requests. */
const waitingInterval = 100

/** To close connections for which fewer bytes wait gains little. */
const minWaiting = 16 * 1024

/**
 * Whether the client causes the stall: it sends nothing or reads nothing. A handler that works for long is not a fault.
 */
const waitsForClient = ({ request, response }: ActiveRequest): boolean =>
  (!request.complete && request.readableLength === 0 && !ExpectContinue.isAwaited(request)) ||
  response.writableLength > 0 ||
  request.socket.writableLength > 0

/** The bytes that a socket has transferred. Bytes that wait to be written are not. */
const transferredBy = ({ bytesRead, bytesWritten, writableLength }: Socket): number =>
  bytesRead + bytesWritten - writableLength

/** What the parser and the listeners take for a request, in microseconds. */
const requestCost = 20

const groupOf = ({ remoteAddress }: Socket): string => AddressGroup.of(remoteAddress ?? "")

/** Whether the handler reads the body as fast as it comes, or has not begun to. */
const canTakeMore = (request: IncomingMessage): boolean =>
  !request.isPaused() && request.readableLength < request.readableHighWaterMark

/** A handler gets this much more time to report a slow upload to the client before its connection is closed. */
const rateMargin = 1.25

/** The rate of each socket is sampled so often in a window. */
const samples = 10

/** The bytes that wait in memory for the client: those of responses, and of a body that is collected. */
const waitingBytesOf = (
  socket: Socket,
  active: ActiveRequest | undefined,
  running: ReadonlyArray<ServerResponse>
): number => {
  let bytes = socket.writableLength
  for (const [index, response] of running.entries()) {
    if (response instanceof PacedResponse) bytes += response.bodyLength
    // The first response writes to the socket. The others keep their bytes until it is complete.
    if (index > 0) bytes += response.writableLength
  }
  if (active !== undefined && CollectedBodies.has(active.request)) bytes += socket.bytesRead - active.receivedBefore
  return bytes
}

export interface Limits {
  /** Bytes that wait in memory for clients, of all connections. Beyond, the connections of the slowest clients are closed. */
  readonly maxWaitingBytes: number
  /** Milliseconds after which a socket that transfers nothing is closed, if the client causes it. */
  readonly idle: number
  /** A socket whose client is slower is closed. */
  readonly minimumRate: MinimumRate.MinimumRate
}

/**
 * Tracks the sockets of a server, and closes those whose clients stall or are too slow. Node's own `requestTimeout` is not
 * used: it limits the duration of the whole request and would abort long uploads.
 */
export const make = (server: Server, { idle, maxWaitingBytes, minimumRate }: Limits): Connections => {
  const window = Duration.times(minimumRate.window, rateMargin)
  const open = new Map<Socket, OpenSocket>()
  let inFlight = 0
  let receivedOnClosed = 0
  let sentOnClosed = 0
  let closed = 0

  const shed = (socket: Socket): void => {
    closed++
    socket.destroy()
  }

  const pipelining = Pipelining.make(shed)

  const turns = ReadTurns.make({
    ownerOf: (socket) => RequestTurns.ownerOf(open.get(socket)?.url ?? "", groupOf(socket)),
    resume: (socket) => {
      const state = open.get(socket)
      const request = state?.active?.request ?? state?.unread
      // Otherwise Node starts to read again when the handler does.
      if (request === undefined || request.complete || canTakeMore(request)) socket.resume()
    }
  })
  const spendChunk = (socket: Socket): void => turns.spend(socket, 1)

  /** Bytes per second that a client has sent of its request and read of the response. At first it has a second. */
  const rateOf = (socket: Socket, { begun, transferredBefore }: ActiveRequest, at: number): number =>
    (transferredBy(socket) - transferredBefore) / Math.max(1, (at - begun) / 1000)

  /** Closes the connections of the slowest clients while too many bytes wait for all of them together. */
  const limitWaiting = (): void => {
    const bytesOf = (socket: Socket, active: ActiveRequest | undefined) =>
      waitingBytesOf(socket, active, pipelining.runningOn(socket))
    let waiting = 0
    for (const [socket, { active }] of open) waiting += bytesOf(socket, active)
    if (waiting <= maxWaitingBytes) return
    const at = performance.now()
    const clients = [...open].flatMap(([socket, { active }]) => {
      const bytes = bytesOf(socket, active)
      return active === undefined || bytes < minWaiting ? [] : [{ socket, bytes, rate: rateOf(socket, active, at) }]
    })
    for (const { bytes, socket } of clients.toSorted((one, other) => one.rate - other.rate)) {
      if (waiting <= maxWaitingBytes) break
      waiting -= bytes
      shed(socket)
    }
  }

  let waitingTimer: NodeJS.Timeout | undefined
  const watchWaiting = (): void => {
    if (waitingTimer !== undefined) return
    waitingTimer = setInterval(() => {
      limitWaiting()
      if (inFlight > 0) return
      clearInterval(waitingTimer)
      waitingTimer = undefined
    }, waitingInterval).unref()
  }

  const endRequest = (state: OpenSocket, ended: ActiveRequest | undefined): void => {
    if (ended === undefined || state.active !== ended) return
    state.active = undefined
    inFlight--
    if (ended.request.complete) state.isIdle = true
    // The client still sends a body that the handler does not read.
    else {
      state.unread = ended.request
      ended.request.once("close", () => {
        state.unread = undefined
        state.isIdle = state.active === undefined
      })
    }
  }

  server.on("connection", (socket: Socket) => {
    const state: OpenSocket = {
      active: undefined,
      unread: undefined,
      counted: { received: 0, sent: 0 },
      url: "",
      isIdle: false
    }
    open.set(socket, state)
    turns.add(socket)
    socket.once("close", () => {
      open.delete(socket)
      endRequest(state, state.active)
      receivedOnClosed += socket.bytesRead
      sentOnClosed += socket.bytesWritten
    })
  })

  server.setTimeout(idle, (socket) => {
    const active = open.get(socket)?.active
    if (active === undefined || waitsForClient(active)) socket.destroy()
    else socket.setTimeout(idle)
  })

  const interval = Duration.toMillis(window) / samples
  const sample = (): void => {
    for (const [socket, { active }] of open) {
      if (active === undefined) continue
      const transferred = transferredBy(socket)
      if (active.meter === undefined) active.meter = MinimumRate.makeMeter({ ...minimumRate, window })
      else {
        active.meter.count(transferred - active.transferred)
        if (waitsForClient(active) && active.meter.isTooSlowAfter(interval)) socket.destroy()
      }
      active.transferred = transferred
    }
  }
  const timer = setInterval(sample, interval).unref()
  server.once("close", () => {
    clearInterval(timer)
    clearInterval(waitingTimer)
  })

  return {
    traffic: () => {
      let [received, sent] = [receivedOnClosed, sentOnClosed]
      for (const socket of open.keys()) {
        received += socket.bytesRead
        sent += socket.bytesWritten
      }
      return { received, sent }
    },
    inFlight: () => inFlight,
    shed: () => closed,
    ignores: (response) => {
      turns.spend(response.req.socket, requestCost)
      return pipelining.ignores(response)
    },
    start: pipelining.start,
    track: (request, response) => {
      const { socket } = request
      if (request instanceof PacedRequest) request.onSmallChunk = spendChunk
      const begun = performance.now()
      const active: ActiveRequest = {
        request,
        response,
        begun,
        transferredBefore: transferredBy(socket),
        receivedBefore: socket.bytesRead,
        meter: undefined,
        transferred: 0
      }
      const state = open.get(socket)
      const before = state?.counted ?? { received: 0, sent: 0 }
      watchWaiting()
      if (state !== undefined) {
        state.url = request.url ?? ""
        if (state.active === undefined) inFlight++
        state.active = active
        state.isIdle = false
        response.once("close", () => endRequest(state, active))
      }
      return () => {
        const now = { received: socket.bytesRead, sent: socket.bytesWritten }
        if (state !== undefined) state.counted = now
        return { received: now.received - before.received, sent: now.sent - before.sent }
      }
    },
    closeAfterResponses: () => {
      for (const { active } of open.values()) {
        if (active !== undefined && !active.response.headersSent) active.response.shouldKeepAlive = false
      }
    },
    closeIdle: () => {
      for (const [socket, { isIdle }] of open) if (isIdle) socket.destroy()
    },
    responseOn: (socket) => open.get(socket)?.active?.response
  }
}
