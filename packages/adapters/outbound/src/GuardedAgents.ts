/**
 * Agents for Node's HTTP clients that connect to no address inside, for requests whose address a user has named.
 *
 * Each connection is checked where it is opened, so that redirects are checked as well, and the address that was checked
 * is the one that is connected to: a name that changes its address in between gains nothing.
 */
import * as Dns from "node:dns"
import * as Http from "node:http"
import * as Https from "node:https"
import * as Net from "node:net"
import { AddressRefused } from "./AddressRefused.ts"
import * as PublicAddress from "./PublicAddress.ts"

export { AddressRefused, isRefused } from "./AddressRefused.ts"

export interface Policy {
  /** Lets every address through, as for services of the deployment's own network; nothing is checked then. */
  readonly allowPrivate: boolean
}

/** A proxy would resolve names by itself, out of reach of the checks. */
export type Options = Omit<Https.AgentOptions, "proxyEnv">

export interface Agents {
  readonly http: Http.Agent
  readonly https: Https.Agent
}

const resolve: Net.LookupFunction = (host, options, done) => Dns.lookup(host, options, done)

const plural = (addresses: string | ReadonlyArray<Dns.LookupAddress>, family: number | undefined) =>
  typeof addresses === "string" ? [{ address: addresses, family: family ?? Net.isIP(addresses) }] : [...addresses]

/** A lookup that gives only addresses which are public. A name that has another one besides is refused as a whole. */
const guarded =
  (lookup: Net.LookupFunction): Net.LookupFunction =>
  (host, options, done) =>
    lookup(host, { ...options, all: true }, (error, found, family) => {
      if (error !== null) return done(error, [])
      const addresses = plural(found, family)
      const [first] = addresses
      if (first === undefined || !addresses.every(({ address }) => PublicAddress.isPublic(address))) {
        return done(new AddressRefused({ host }), [])
      }
      return options.all === true ? done(null, addresses) : done(null, first.address, first.family)
    })

/** Options of a connection as they are to be used, or why there must be none. */
type Prepare = (options: Http.ClientRequestArgs) => AddressRefused | Http.ClientRequestArgs

/** Some clients leave the brackets that a URL has around a literal of IPv6. Node would take it for a name then. */
const bare = (options: Http.ClientRequestArgs): Http.ClientRequestArgs => {
  const literal = /^\[(.*)\]$/.exec(options.host ?? "")?.[1] ?? ""
  return Net.isIPv6(literal) ? { ...options, host: literal } : options
}

/** Refuses what the options alone tell; else gives them a lookup that is guarded. */
const guard: Prepare = (given) => {
  const options = bare(given)
  // A path is a socket in the file system, and no connection asks for the address of a literal.
  if (options.socketPath || options.path) return new AddressRefused({ host: "a local socket" })
  const host = options.host ?? "localhost"
  if (Net.isIP(host) !== 0 && !PublicAddress.isPublic(host)) return new AddressRefused({ host })
  return { ...options, lookup: guarded(options.lookup ?? resolve) }
}

type Created = Parameters<Http.Agent["createConnection"]>[1]

class HttpAgent extends Http.Agent {
  readonly #prepare: Prepare

  constructor(prepare: Prepare, options: Options) {
    super(options)
    this.#prepare = prepare
  }

  override createConnection(options: Http.ClientRequestArgs, created?: Created) {
    const prepared = this.#prepare(options)
    if (!(prepared instanceof AddressRefused)) return super.createConnection(prepared, created)
    return refuse(prepared, created)
  }
}

class HttpsAgent extends Https.Agent {
  readonly #prepare: Prepare

  constructor(prepare: Prepare, options: Options) {
    super(options)
    this.#prepare = prepare
  }

  override createConnection(options: Https.RequestOptions, created?: Created) {
    const prepared = this.#prepare(options)
    if (!(prepared instanceof AddressRefused)) return super.createConnection(prepared, created)
    return refuse(prepared, created)
  }
}

/** A socket that fails instead of connecting. */
const refuse = (error: AddressRefused, created: Created): undefined => {
  if (created === undefined) throw error
  created(error, new Net.Socket())
}

/**
 * Agents that keep connections for the next request; with `options` as those of Node. They are to be destroyed when they
 * are not needed any more.
 */
export const make = ({ allowPrivate }: Policy, options: Options = {}): Agents => {
  const settings = { keepAlive: true, ...options }
  const prepare = allowPrivate ? bare : guard
  return { http: new HttpAgent(prepare, settings), https: new HttpsAgent(prepare, settings) }
}
