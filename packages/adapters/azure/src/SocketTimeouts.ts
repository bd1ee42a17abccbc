/**
 * Ends connections over which nothing moves; the SDK would wait for ever.
 */
import type * as Http from "node:http"
import { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { TLSSocket } from "node:tls"

/** In milliseconds. */
export interface Timeouts {
  /** Until a connection is open. */
  readonly connect: number
  /** While it is in use. */
  readonly idle: number
}

const timedOut = (): Error => Object.assign(new Error("nothing moved over the connection"), { code: "ETIMEDOUT" })

const watch = (socket: Duplex | null | undefined, { connect, idle }: Timeouts): void => {
  if (!(socket instanceof Socket)) return
  socket.setTimeout(connect)
  socket.once(socket instanceof TLSSocket ? "secureConnect" : "connect", () => socket.setTimeout(idle))
  socket.on("timeout", () => socket.destroy(timedOut()))
}

/** Watches the connections that an agent opens from now on. */
export const apply = (agent: Http.Agent, timeouts: Timeouts): void => {
  const open = agent.createConnection.bind(agent)
  const reuse = agent.reuseSocket.bind(agent)
  agent.createConnection = (options, created) => {
    const socket = open(options, created)
    watch(socket, timeouts)
    return socket
  }
  // A connection that waits for its next use has no timeout of ours.
  agent.reuseSocket = (socket, request) => {
    reuse(socket, request)
    if (socket instanceof Socket) socket.setTimeout(timeouts.idle)
  }
}
