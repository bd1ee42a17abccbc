/**
 * Groups of addresses that belong to one client, as limits per address count them.
 */
import ipaddr from "ipaddr.js"
import * as TrustedProxies from "./TrustedProxies.ts"

/** The ranges of the own machine and network (RFC 1918, RFC 3927, RFC 4193, RFC 4291, RFC 6598). */
const localRanges: ReadonlySet<string> = new Set(["loopback", "private", "carrierGradeNat", "linkLocal", "uniqueLocal"])

/**
 * Returns the group of an address: an IPv4 address itself, and for an IPv6 address its network of 64 bits, because usually one
 * customer has all of its addresses. Texts without an address have one group.
 */
export const of = (text: string): string => {
  const address = TrustedProxies.parseAddress(text)
  if (address === undefined) return "unknown"
  return address instanceof ipaddr.IPv6
    ? address.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(":")
    : address.toString()
}

/** Whether an address belongs to the own machine or network, as that of a proxy in front of the service does. */
export const isLocal = (text: string): boolean => {
  const address = TrustedProxies.parseAddress(text)
  return address !== undefined && localRanges.has(address.range())
}
