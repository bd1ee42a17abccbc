/**
 * The addresses of clients, as far as limits per address concern them.
 */
import { BlockList, isIPv6 } from "node:net"

/** Loopback, private (RFC 1918, RFC 4193), shared (RFC 6598) and link-local addresses. */
const local = new BlockList()
for (const [network, prefix] of [
  ["127.0.0.0", 8],
  ["10.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["100.64.0.0", 10],
  ["169.254.0.0", 16]
] as const) {
  local.addSubnet(network, prefix, "ipv4")
}
for (const [network, prefix] of [
  ["::1", 128],
  ["fc00::", 7],
  ["fe80::", 10]
] as const) {
  local.addSubnet(network, prefix, "ipv6")
}

const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** The first 64 bits of an IPv6 address: usually one customer of a network has all addresses that begin with them. */
const network64 = (address: string): string => {
  const [head = "", tail] = address.split("%", 1)[0]?.split("::") ?? []
  const before = head === "" ? [] : head.split(":")
  if (tail === undefined) return before.slice(0, 4).join(":")
  const after = tail === "" ? [] : tail.split(":")
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => "0")
  return [...before, ...zeros, ...after].slice(0, 4).join(":")
}

/**
 * Returns the group of addresses that a client's address belongs to: an IPv4 address, or an IPv6 network of 64 bits. Returns
 * undefined for an address of the own machine or network, which a proxy in front of the service has.
 */
export const groupOf = (address: string): string | undefined => {
  const ipv4 = mapped.exec(address)?.[1]
  if (ipv4 !== undefined) return groupOf(ipv4)
  const isV6 = isIPv6(address)
  if (local.check(address, isV6 ? "ipv6" : "ipv4")) return undefined
  return isV6 ? network64(address) : address
}
