/**
 * Recognizes hosts of URLs that are not public, before a connection is opened. `GuardedAgents` decides about names with each
 * connection.
 */
import * as Net from "node:net"
import * as PublicAddress from "./internal/PublicAddress.ts"

/**
 * Returns false for an IP address that is not public, and for a name of the machine itself. `host` is the `hostname` of a parsed URL,
 * which writes every form of an IPv4 address as four decimal numbers.
 */
export const isPublic = (host: string): boolean => {
  const literal = host.startsWith("[") ? host.slice(1, -1) : host
  if (Net.isIP(literal) !== 0) return PublicAddress.isPublic(literal)
  return !/(^|\.)localhost\.?$/.test(host)
}
