/**
 * A Holdfast as a listener of Node's HTTP servers, and of what is built on them.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import type { ActorHandle, Holdfast } from "@holdfast/core"
import * as PromiseApiContext from "@holdfast/core/promises/PromiseApiContext"
import * as Effect from "effect/Effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { RequestListener } from "../server/listener/Listener.ts"
import * as Mount from "./Mount.ts"
import * as ParsedBody from "./ParsedBody.ts"
import * as Prefix from "./Prefix.ts"
import * as Refusal from "./Refusal.ts"

/** Whom a request is from; undefined where only its API key can tell. */
export type Authenticated = ActorHandle | undefined

export interface NodeListenerOptions<Request extends IncomingMessage = IncomingMessage> {
  /** The path under which the API stands, such as `/files`, where the host leaves it in `request.url`. */
  readonly prefix?: string | undefined
  /**
   * The host's own authentication, in place of an API key: it is asked by every operation. What it rejects with is an
   * internal error. Where it goes by a cookie, let the cookie be `SameSite`: a form of another site could upload.
   */
  readonly authenticate?: ((request: Request) => Authenticated | Promise<Authenticated>) | undefined
}

/** Where the host has stripped a path from `request.url`, as Express does. */
const strippedBy = (request: IncomingMessage): string =>
  "baseUrl" in request && typeof request.baseUrl === "string" ? request.baseUrl : ""

const listen = Effect.fnUntraced(function* (mounted: Mount.Mounted) {
  const listener: RequestListener = yield* NodeHttpServer.makeHandler(mounted.app, { scope: mounted.scope })
  return listener
})

/** A listener whose callers say what the host knows of each request. */
export const make = (
  holdfast: Holdfast,
  prefix: string
): ((request: IncomingMessage, response: ServerResponse, authenticate: Mount.Visit["authenticate"]) => void) => {
  const door = PromiseApiContext.of(holdfast)
  let ready: ((request: IncomingMessage, response: ServerResponse, visit: Mount.Visit) => void) | undefined
  const building = Mount.make(door).then(async (mounted) => {
    const listener = await Effect.runPromiseWith(door.services)(listen(mounted))
    ready = (request, response, visit) => {
      mounted.announce(request, visit)
      listener(request, response)
    }
    return ready
  })
  // Told by each request; before the first there is nobody to tell.
  building.catch(() => undefined)

  return (request, response, authenticate) => {
    if (door.isClosed()) return Refusal.send(response, Refusal.closed)
    const message = ParsedBody.restore(request)
    if (message === undefined) return Refusal.send(response, Refusal.bodyTaken)
    const visit = { prefix, mountPath: strippedBy(request) + prefix, authenticate }
    if (ready !== undefined) return ready(message, response, visit)
    building.then(
      (handle) => (door.isClosed() ? Refusal.send(response, Refusal.closed) : handle(message, response, visit)),
      () => Refusal.send(response, Refusal.closed)
    )
  }
}

/**
 * The whole API as a Node listener: `createServer(toNodeListener(holdfast))`, in Express
 * `app.use("/files", toNodeListener(holdfast))`. Paths begin with `/api/v1` below the prefix. Contents stream both ways,
 * and whatever goes wrong is answered with a problem (RFC 9457); it never calls a host's `next`.
 *
 * A body that `express.json()` or the like has read already is taken from `request.body`. What is stored byte for byte
 * cannot be taken from what was parsed: an upload behind a parser of forms, or a content behind a parser of its type, is
 * answered with a problem that says so.
 *
 * Closing the Holdfast interrupts what runs and makes the listener answer `503`. Let the server have
 * `requestTimeout: 0` for uploads of more than five minutes; one that stands still is given up after a minute.
 */
export const toNodeListener = <Request extends IncomingMessage = IncomingMessage>(
  holdfast: Holdfast,
  options: NodeListenerOptions<Request> = {}
): ((request: Request, response: ServerResponse) => void) => {
  const { authenticate, prefix = "" } = options
  const listener = make(holdfast, Prefix.normalize(prefix))
  return (request, response) =>
    listener(request, response, authenticate === undefined ? undefined : () => authenticate(request))
}
