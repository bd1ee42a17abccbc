/**
 * Agents for the HTTP clients of object stores. They bound what a service may send in response, and connect to public
 * addresses only where a user has configured the address.
 *
 * Each connection is checked when it is opened, which includes the connections of redirects. The address that was
 * checked is the address that is connected to, so a name that changes its address in between (DNS rebinding) gains
 * nothing.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Dns from "node:dns"
import * as Http from "node:http"
import * as Https from "node:https"
import * as Net from "node:net"
import { AddressRefused } from "./AddressRefused.ts"
import * as BoundedRequests from "./internal/BoundedRequests.ts"
import * as PublicAddress from "./internal/PublicAddress.ts"
import type { RequestRules } from "./RequestRules.ts"

export { AddressRefused, isRefused } from "./AddressRefused.ts"

export interface Policy {
  /**
   * Whether addresses are permitted that are not public, such as those of the deployment's own network. Nothing is
   * checked then.
   */
  readonly allowPrivate: boolean
  /** When a name is refused, in milliseconds after its lookup began, whatever the lookup finds. Default: 2 seconds. */
  readonly refusalTime?: number | undefined
}

/** A proxy would resolve names itself, out of reach of the checks. */
export type Options = Omit<Https.AgentOptions, "proxyEnv">

/** An agent for each protocol, which is made when it is read for the first time. */
export interface Agents {
  readonly http: Http.Agent
  readonly https: Https.Agent
}

const resolve: Net.LookupFunction = (host, options, done) => Dns.lookup(host, options, done)

const toAddresses = (found: string | ReadonlyArray<Dns.LookupAddress>, family: number | undefined) =>
  typeof found === "string" ? [{ address: found, family: family ?? Net.isIP(found) }] : [...found]

/** When a name is refused, in milliseconds after its lookup began. */
const refusalTime = 2000

/**
 * Wraps a lookup so that it refuses a name unless all of its addresses are public. Refuses a name without addresses as
 * well, and one whose lookup takes too long, with the same error and at the same time: the users who choose the names
 * must not find out which names the deployment's own network has.
 */
const lookupPublic =
  (lookup: Net.LookupFunction, refusalTime: number): Net.LookupFunction =>
  (host, options, done) => {
    let isRefused = false
    const timer = setTimeout(() => {
      isRefused = true
      done(new AddressRefused({ host }), [])
    }, refusalTime)
    lookup(host, { ...options, all: true }, (error, found, family) => {
      const addresses = error === null ? toAddresses(found, family) : []
      const [first] = addresses
      if (isRefused || first === undefined) return
      if (!addresses.every(({ address }) => PublicAddress.isPublic(address))) return
      clearTimeout(timer)
      return options.all === true ? done(null, addresses) : done(null, first.address, first.family)
    })
  }

/** Returns the options to connect with, or the reason not to connect. */
type Prepare = (options: Http.ClientRequestArgs) => AddressRefused | Http.ClientRequestArgs

/** Removes the brackets that some clients leave around an IPv6 literal. Node would take the literal for a name. */
const withoutBrackets = (options: Http.ClientRequestArgs): Http.ClientRequestArgs => {
  const literal = /^\[(.*)\]$/.exec(options.host ?? "")?.[1] ?? ""
  return Net.isIPv6(literal) ? { ...options, host: literal } : options
}

/** Refuses what the options alone show to be private, and otherwise supplies a lookup that checks addresses. */
const guard = (given: Http.ClientRequestArgs, refusalTime: number): AddressRefused | Http.ClientRequestArgs => {
  const options = withoutBrackets(given)
  // A path is a socket in the file system. For a literal, Node calls no lookup.
  if (options.socketPath || options.path) return new AddressRefused({ host: "a local socket" })
  const host = options.host ?? "localhost"
  if (Net.isIP(host) !== 0 && !PublicAddress.isPublic(host)) return new AddressRefused({ host })
  return { ...options, lookup: lookupPublic(options.lookup ?? resolve, refusalTime) }
}

/** Has an agent prepare the options of every connection. A refused one gets a socket that fails. */
const guardConnections = <A extends Http.Agent>(agent: A, prepare: Prepare): A => {
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (options, created) => {
    const prepared = prepare(options)
    if (!(prepared instanceof AddressRefused)) return connect(prepared, created)
    if (created === undefined) throw prepared
    created(prepared, new Net.Socket())
  }
  return agent
}

/** Makes an agent when it is first used: that of HTTPS loads Node's TLS, which takes 6 MiB. */
const makeOnce = <A extends Http.Agent>(make: () => A) => {
  let made: A | undefined
  return { get: (): A => (made ??= make()), destroy: (): void => made?.destroy() }
}

const makeClosable = (policy: Policy, options: Options = {}, rules: RequestRules = {}) => {
  const settings = { keepAlive: true, ...options }
  const after = policy.refusalTime ?? refusalTime
  const prepare: Prepare = policy.allowPrivate ? withoutBrackets : (options) => guard(options, after)
  const guarded = <A extends Http.Agent>(agent: A): A => {
    BoundedRequests.install(guardConnections(agent, prepare), rules)
    return agent
  }
  const http = makeOnce(() => guarded(new Http.Agent(settings)))
  const https = makeOnce(() => guarded(new Https.Agent(settings)))
  const agents: Agents = {
    get http() {
      return http.get()
    },
    get https() {
      return https.get()
    }
  }
  const destroy = () => {
    http.destroy()
    https.destroy()
  }
  return { agents, destroy }
}

/**
 * Makes agents that keep connections open for later requests. `options` are those of Node's agents. The caller destroys
 * the agents.
 */
export const make = (policy: Policy, options?: Options, rules?: RequestRules): Agents =>
  makeClosable(policy, options, rules).agents

/** Makes agents that are destroyed when the scope closes. */
export const scoped = (
  policy: Policy,
  options?: Options,
  rules?: RequestRules
): Effect.Effect<Agents, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => makeClosable(policy, options, rules)),
    ({ destroy }) => Effect.sync(destroy)
  ).pipe(Effect.map(({ agents }) => agents))
