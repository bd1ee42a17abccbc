/**
 * Closes connections that transfer nothing. The SDK itself has no such timeout.
 */
import type * as Http from "node:http"
import { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { TLSSocket } from "node:tls"

/** In milliseconds. */
export interface Timeouts {
  /** Until a connection is open. */
  readonly connect: number
  /** While a connection is in use. */
  readonly idle: number
}

const makeError = (): Error =>
  Object.assign(new Error("the connection transferred nothing for too long"), { code: "ETIMEDOUT" })

const watch = (socket: Duplex | null | undefined, { connect, idle }: Timeouts): void => {
  if (!(socket instanceof Socket)) return
  socket.setTimeout(connect)
  socket.once(socket instanceof TLSSocket ? "secureConnect" : "connect", () => socket.setTimeout(idle))
  socket.on("timeout", () => socket.destroy(makeError()))
}

/** Watches the connections that an agent opens from now on. */
export const install = (agent: Http.Agent, timeouts: Timeouts): void => {
  const connect = agent.createConnection.bind(agent)
  const reuse = agent.reuseSocket.bind(agent)
  agent.createConnection = (options, created) => {
    const socket = connect(options, created)
    watch(socket, timeouts)
    return socket
  }
  // While a connection waits for its next request, the agent sets its own timeout.
  agent.reuseSocket = (socket, request) => {
    reuse(socket, request)
    if (socket instanceof Socket) socket.setTimeout(timeouts.idle)
  }
}
