/**
 * The address of the client that made a request: that of the connection, or the one that trusted proxies report.
 */
import * as Context from "effect/Context"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import * as ForwardedAddresses from "./ForwardedAddresses.ts"
import * as TrustedProxies from "./TrustedProxies.ts"

/** What a request says about its client. */
interface Origin {
  /** The address of the connection. */
  readonly address: string | undefined
  readonly forwarded: string | undefined
  readonly xForwardedFor: string | undefined
}

/** Removes what a socket for both families adds to an IPv4 address. */
const unmap = (address: string | undefined): string | undefined =>
  address?.startsWith("::ffff:") === true && address.includes(".") ? address.slice(7) : address

/**
 * Returns the last address of a list that is not a proxy's. Further addresses could be the client's invention. If an element has
 * no address, the proxy that reported it counts as the client.
 */
const beyondProxies = (
  connection: string,
  reported: ReadonlyArray<string>,
  proxies: ReadonlyArray<TrustedProxies.Network>
): string => {
  let client = connection
  for (const text of reported) {
    const address = TrustedProxies.parseAddress(text)
    if (address === undefined) return client
    client = address.toString()
    if (!TrustedProxies.includes(proxies, client)) return client
  }
  return client
}

/**
 * Returns the client's address; undefined if the connection has none.
 *
 * A proxy writes one of the two headers and passes on the other as the client sent it. Therefore, if a request has both and they
 * name different clients, the proxy counts as the client.
 *
 * @param proxies Who may report addresses: from other connections, the headers have no effect.
 */
export const resolve = (
  { address: connection, forwarded, xForwardedFor }: Origin,
  proxies: ReadonlyArray<TrustedProxies.Network>
): string | undefined => {
  const address = unmap(connection)
  if (proxies.length === 0 || address === undefined) return address
  if (forwarded === undefined && xForwardedFor === undefined) return address
  if (!TrustedProxies.includes(proxies, address)) return address
  const clients = new Set<string>()
  if (forwarded !== undefined) {
    clients.add(beyondProxies(address, ForwardedAddresses.ofForwarded(forwarded), proxies))
  }
  if (xForwardedFor !== undefined) {
    clients.add(beyondProxies(address, ForwardedAddresses.ofXForwardedFor(xForwardedFor), proxies))
  }
  const [client, ...others] = clients
  return others.length === 0 ? client : address
}

/** Finds the address of the client of a request; undefined if it is not known. */
export type FindClientAddress = (request: HttpServerRequest) => string | undefined

/** Makes the function for these proxies. */
export const finder =
  (proxies: ReadonlyArray<TrustedProxies.Network>): FindClientAddress =>
  ({ headers, remoteAddress }) =>
    resolve(
      {
        address: Option.getOrUndefined(remoteAddress),
        forwarded: headers["forwarded"],
        xForwardedFor: headers["x-forwarded-for"]
      },
      proxies
    )

/** How to find the address. By default no proxy is trusted. */
export const FindClientAddress = Context.Reference<FindClientAddress>("@holdfast/http/incoming/FindClientAddress", {
  defaultValue: () => finder([])
})
