/**
 * Decides which IP addresses belong to the public Internet. Addresses of the machine itself, of its network, of a
 * cloud's metadata service and of special purposes do not (the registries of RFC 6890).
 */
import ipaddr from "ipaddr.js"

/**
 * The range from which hosts of the Internet get addresses (RFC 4291, section 2.4). `ipaddr.js` calls every unlisted
 * range unicast.
 */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3")

/** NAT64: the last four bytes are an IPv4 address, for a gateway (RFC 6052). */
const nat64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96")

/**
 * The address at which Azure's platform serves each virtual machine: name resolution, and the configuration of the machine with its
 * secrets. It lies in a public range.
 */
const azurePlatform = "168.63.129.16"

const isPublicV4 = (address: ipaddr.IPv4): boolean =>
  address.range() === "unicast" && address.toString() !== azurePlatform

/**
 * Returns whether a connection to an address leads to the public Internet. The address is text without brackets. An
 * IPv6 address that represents an IPv4 address is judged by the IPv4 address. Addresses of tunnels (6to4, Teredo) are
 * not public, whatever IPv4 address they contain.
 */
export const isPublic = (address: string): boolean => {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return isPublicV4(ipaddr.IPv4.parse(address))
  if (!ipaddr.IPv6.isValid(address)) return false
  const v6 = ipaddr.IPv6.parse(address)
  if (v6.isIPv4MappedAddress()) return isPublicV4(v6.toIPv4Address())
  if (v6.match(nat64)) return isPublicV4(new ipaddr.IPv4(v6.toByteArray().slice(12)))
  return v6.match(globalUnicast) && v6.range() === "unicast"
}
