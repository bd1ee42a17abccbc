/**
 * The proxies whose statements about their clients the service believes.
 */
import ipaddr from "ipaddr.js"

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** A network: its address, and the length of its prefix in bits. */
export type Network = readonly [Address, number]

/** Returns the network of a text such as `10.0.0.0/8`, `2001:db8::/32` or a single address; undefined for any other text. */
export const parseNetwork = (text: string): Network | undefined => {
  const [address = "", prefix, ...rest] = text.split("/")
  if (rest.length > 0 || address.includes("%")) return undefined
  const parsed = parseAddress(address)
  if (parsed === undefined) return undefined
  const bits = parsed.kind() === "ipv4" ? 32 : 128
  if (prefix === undefined) return [parsed, bits]
  const length = /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN
  return length <= bits ? [parsed, length] : undefined
}

/** Returns the networks of these texts. Throws a `TypeError` for a text that is none. */
export const parse = (texts: ReadonlyArray<string>): ReadonlyArray<Network> =>
  texts.map((text) => {
    const network = parseNetwork(text)
    if (network === undefined)
      throw new TypeError(`trustedProxies must be networks such as "10.0.0.0/8", got "${text}"`)
    return network
  })

/** The most addresses in the cache, which is cleared when it is full. */
const capacity = 4096

/** Parsing an IPv6 address takes 14 µs, and every request may need several. */
const parsed = new Map<string, Address>()

/**
 * Returns an address; undefined for any other text. IPv4 addresses have four decimal parts: `ipaddr.js` also reads `0x7f.1`. An
 * IPv6 address that represents an IPv4 address is the IPv4 address.
 */
export const parseAddress = (text: string): Address | undefined => {
  const known = parsed.get(text)
  if (known !== undefined) return known
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return undefined
  const address = ipaddr.process(text)
  if (parsed.size >= capacity) parsed.clear()
  parsed.set(text, address)
  return address
}

/** Whether an address belongs to one of the networks. A text that is no address does not. */
export const includes = (networks: ReadonlyArray<Network>, text: string): boolean => {
  const address = parseAddress(text)
  return (
    address !== undefined &&
    networks.some(([network, prefix]) => network.kind() === address.kind() && address.match(network, prefix))
  )
}
