/**
 * The addresses that proxies report, by `Forwarded` (RFC 7239) and by `X-Forwarded-For`. Each proxy appends the address of its
 * own client to the list.
 */

/** The most addresses of a list that are read, from its end. */
const maxHops = 32

/** An address with or without a port; an IPv6 address with a port is in brackets (RFC 7239, section 6). */
const node = /^(?:\[([0-9a-f:.]{2,45})\]|([0-9.]{7,15}))(?::\d{1,5})?$|^([0-9a-f:.]{2,45})$/i

/** Returns the address of a node; an empty text for a node without one, such as `unknown` or `_hidden`. */
const addressOf = (text: string): string => {
  const match = node.exec(text)
  return match?.[1] ?? match?.[2] ?? match?.[3] ?? ""
}

const listOf = (header: string): ReadonlyArray<string> => header.split(",").slice(-maxHops).toReversed()

/** The parameter `for` of an element: a token, or a quoted string without escapes, which no address needs. */
const forParameter = /(?:^|;)[ \t]*for=(?:"([^"\\]*)"|([^;,"\\ \t]*))[ \t]*(?:;|$)/i

/** Returns the addresses of a `Forwarded` header, the last first. An element without an address is an empty text. */
export const ofForwarded = (header: string): ReadonlyArray<string> =>
  listOf(header).map((element) => {
    const match = forParameter.exec(element.trim())
    return addressOf(match?.[1] ?? match?.[2] ?? "")
  })

/** Returns the addresses of an `X-Forwarded-For` header, the last first. An element without an address is an empty text. */
export const ofXForwardedFor = (header: string): ReadonlyArray<string> =>
  listOf(header).map((element) => addressOf(element.trim()))
