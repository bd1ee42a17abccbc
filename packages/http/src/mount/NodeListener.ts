/**
 * Mounts a Holdfast as a request listener of Node's HTTP servers and of the frameworks that are built on them.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import type { ActorHandle, Holdfast } from "@holdfast/core"
import * as PromiseApiContext from "@holdfast/core/promises/PromiseApiContext"
import * as Effect from "effect/Effect"
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import * as ClientAddress from "../incoming/ClientAddress.ts"
import * as Pipelining from "../incoming/Pipelining.ts"
import * as TrustedProxies from "../incoming/TrustedProxies.ts"
import { type FrameOptions, toFrameAncestors } from "./FrameOptions.ts"
import * as KnownOptions from "./KnownOptions.ts"
import { type LimitOptions, toLimits } from "./LimitOptions.ts"
import * as Mount from "./Mount.ts"
import * as ParsedBody from "./ParsedBody.ts"
import * as Prefix from "./Prefix.ts"
import * as Refusal from "./Refusal.ts"

/** The actor of a request; undefined to use its API key. */
export type Authenticated = ActorHandle | undefined

export interface NodeListenerOptions<Request extends IncomingMessage = IncomingMessage>
  extends LimitOptions, FrameOptions {
  /** The path prefix of the API, such as `/files`, if the host leaves it in `request.url`. */
  readonly prefix?: string | undefined
  /**
   * The host's own authentication, used instead of an API key. Every operation calls it. A rejection is answered with
   * `internal`. Requests by it that change something are refused when a page of another origin made them.
   */
  readonly authenticate?: ((request: Request) => Authenticated | Promise<Authenticated>) | undefined
  /**
   * Other origins whose pages may change something by the host's own authentication, such as `https://app.example.com`. The
   * host itself answers their CORS preflights.
   */
  readonly trustedOrigins?: ReadonlyArray<string> | undefined
  /**
   * Addresses of the proxies in front of the host, such as `10.0.0.0/8`. Only they may report the addresses of their clients, with
   * the header `Forwarded` or `X-Forwarded-For`. The address of a client is the last one that is not a trusted proxy's.
   */
  readonly trustedProxies?: ReadonlyArray<string> | undefined
}

/** Returns the path that the host removed from `request.url`, as Express does. */
const strippedPath = (request: IncomingMessage): string =>
  "baseUrl" in request && typeof request.baseUrl === "string" ? request.baseUrl : ""

const makeListener = Effect.fnUntraced(function* (mounted: Mount.Mounted) {
  const listener: RequestListener = yield* NodeHttpServer.makeHandler(mounted.app, { scope: mounted.scope })
  return listener
})

/** Makes a listener whose callers pass the host's authentication with each request. */
export const make = (
  holdfast: Holdfast,
  { frameAncestors, prefix = "", trustedOrigins, trustedProxies, ...limits }: Omit<NodeListenerOptions, "authenticate">
): ((
  request: IncomingMessage,
  response: ServerResponse,
  authenticate: Mount.MountedRequest["authenticate"]
) => void) => {
  const context = PromiseApiContext.of(holdfast)
  const settings = {
    prefix: Prefix.normalize(prefix),
    trustedOrigins: new Set(trustedOrigins),
    limits: toLimits(limits),
    findClientAddress: ClientAddress.finder(TrustedProxies.parse(trustedProxies ?? []))
  }
  type Handle = (request: IncomingMessage, response: ServerResponse, mounted: Mount.MountedRequest) => void
  let handle: Handle | undefined
  const pipelining = Pipelining.make()
  const building = Mount.make(context, toFrameAncestors({ frameAncestors })).then(async (mount) => {
    const listener = await Effect.runPromiseWith(context.services)(makeListener(mount))
    handle = (request, response, mounted) => {
      if (pipelining.ignores(response)) return
      pipelining.start(response, () => {
        mount.register(request, mounted)
        listener(request, response)
      })
    }
    return handle
  })
  // Each request reports a failed build. Before the first request, nothing could.
  building.catch(() => undefined)

  return (request, response, authenticate) => {
    if (context.isClosed()) return Refusal.send(response, Refusal.closed)
    const message = ParsedBody.restore(request)
    if (message === undefined) return Refusal.send(response, Refusal.bodyConsumed)
    const mounted = { ...settings, mountPath: strippedPath(request) + settings.prefix, authenticate }
    if (handle !== undefined) return handle(message, response, mounted)
    building.then(
      (built) => (context.isClosed() ? Refusal.send(response, Refusal.closed) : built(message, response, mounted)),
      () => Refusal.send(response, Refusal.closed)
    )
  }
}

/**
 * Returns the whole API as a Node request listener: `createServer(toNodeListener(holdfast))`, in Express
 * `app.use("/files", toNodeListener(holdfast))`. Paths begin with `/api/v1` below the prefix. Contents stream in both
 * directions. Every failure is answered with a problem (RFC 9457); the listener never calls a host's `next`.
 *
 * A body that `express.json()` or a similar parser has read is taken from `request.body`. The bytes of a file cannot be
 * rebuilt from a parsed body: an upload behind a parser of forms, or of the content's type, is answered with a problem
 * that says so.
 *
 * Closing the Holdfast interrupts running requests; after that the listener answers `503`. Set `requestTimeout: 0` on
 * the server if uploads may take more than five minutes. An upload that transfers nothing for one minute is aborted.
 */
export const toNodeListener = <Request extends IncomingMessage = IncomingMessage>(
  holdfast: Holdfast,
  options: NodeListenerOptions<Request> = {}
): ((request: Request, response: ServerResponse) => void) => {
  KnownOptions.check(options, { ...KnownOptions.shared, prefix: true, trustedProxies: true })
  const { authenticate, ...others } = options
  const listener = make(holdfast, others)
  return (request, response) =>
    listener(request, response, authenticate === undefined ? undefined : () => authenticate(request))
}
