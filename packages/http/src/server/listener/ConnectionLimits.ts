/**
 * Limits the number of connections, in all and per address. Each connection takes a descriptor and some 10 to 100 KiB of memory.
 */
import * as Counts from "@holdfast/core/Counts"
import type { Server } from "node:http"
import type { Socket } from "node:net"
import * as AddressGroup from "../../incoming/AddressGroup.ts"
import * as TrustedProxies from "../../incoming/TrustedProxies.ts"
import * as NodeProblem from "./NodeProblem.ts"

export interface Limits {
  /** The most connections in all. */
  readonly maxConnections: number
  /** The most connections of one address outside of the own network; 0 for no limit. */
  readonly maxConnectionsPerAddress: number
  /** They have no limit: they carry the connections of many clients. */
  readonly trustedProxies: ReadonlyArray<TrustedProxies.Network>
}

export interface ConnectionLimits {
  /** Returns the number of open connections. */
  readonly open: () => number
  /** Returns the number of connections that were refused since the server started. */
  readonly refused: () => number
}

/** Answers before a request is read, and closes the connection as soon as the answer is written. */
const refuse = (socket: Socket, detail: string, requestId: string): void => {
  socket.on("error", () => undefined)
  NodeProblem.sendRaw(socket, "503 Service Unavailable", { code: "unavailable", detail, requestId })
  socket.destroySoon()
}

/** Limits the connections of a server. */
export const enforce = (
  server: Server,
  { maxConnections, maxConnectionsPerAddress, trustedProxies }: Limits,
  newRequestId: () => string
): ConnectionLimits => {
  const isExempt = (address: string): boolean =>
    AddressGroup.isLocal(address) || TrustedProxies.includes(trustedProxies, address)
  const byGroup = Counts.make<string>()
  let open = 0
  let refused = 0

  server.on("connection", (socket: Socket) => {
    const { remoteAddress } = socket
    const group =
      maxConnectionsPerAddress === 0 || remoteAddress === undefined || isExempt(remoteAddress)
        ? undefined
        : AddressGroup.of(remoteAddress)
    if (open >= maxConnections || (group !== undefined && byGroup.get(group) >= maxConnectionsPerAddress)) {
      refused++
      const detail =
        open >= maxConnections
          ? "The service has too many connections. Try again later."
          : "Your address has too many connections. Close some, or try again later."
      return refuse(socket, detail, newRequestId())
    }
    open++
    if (group !== undefined) byGroup.add(group, 1)
    socket.once("close", () => {
      open--
      if (group !== undefined) byGroup.add(group, -1)
    })
  })

  return { open: () => open, refused: () => refused }
}
