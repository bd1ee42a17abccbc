/**
 * Which IP addresses are on the public Internet: none of the machine's own, of its network, of a cloud's metadata
 * service, or of a special purpose (the registries of RFC 6890).
 */
import ipaddr from "ipaddr.js"

/** What is handed out to hosts of the Internet (RFC 4291, section 2.4); `ipaddr.js` calls everything unlisted unicast. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3")

/** Carries an IPv4 address to a gateway in its last four bytes (RFC 6052). */
const translated = ipaddr.IPv6.parseCIDR("64:ff9b::/96")

const isPublicV4 = (address: ipaddr.IPv4): boolean => address.range() === "unicast"

/**
 * Whether a connection to an address, as text without brackets, leads to the Internet. An IPv6 address that stands for
 * an IPv4 one is judged by that; those of tunnels (6to4, Teredo) are not public, whatever they lead to.
 */
export const isPublic = (address: string): boolean => {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return isPublicV4(ipaddr.IPv4.parse(address))
  if (!ipaddr.IPv6.isValid(address)) return false
  const v6 = ipaddr.IPv6.parse(address)
  if (v6.isIPv4MappedAddress()) return isPublicV4(v6.toIPv4Address())
  if (v6.match(translated)) return isPublicV4(new ipaddr.IPv4(v6.toByteArray().slice(12)))
  return v6.match(globalUnicast) && v6.range() === "unicast"
}
