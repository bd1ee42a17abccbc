/**
 * Mounts the S3 API of a Holdfast as a request listener of Node's HTTP servers.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import type { Holdfast } from "@holdfast/core"
import * as PromiseApiContext from "@holdfast/core/promises/PromiseApiContext"
import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Scope from "effect/Scope"
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import * as ClientAddress from "../incoming/ClientAddress.ts"
import * as TrustedProxies from "../incoming/TrustedProxies.ts"
import type { Endpoint } from "../s3/Address.ts"
import * as S3Routes from "../s3/S3Routes.ts"
import * as KnownOptions from "./KnownOptions.ts"
import * as PendingListener from "./PendingListener.ts"
import * as Prefix from "./Prefix.ts"

export interface S3HandlerOptions {
  /** The path below which clients reach the API, such as `/s3`, also where the host removes it from `request.url`. Default: none. */
  readonly prefix?: string | undefined
  /** A host name at which all paths belong to the API, such as `s3.example.com`. Buckets are its subdomains, or the first part of the path. */
  readonly host?: string | undefined
  /** The region that the API reports for every bucket. Default: `us-east-1`. It accepts signatures for every region. */
  readonly region?: string | undefined
  /** As in `NodeListenerOptions`. */
  readonly trustedProxies?: ReadonlyArray<string> | undefined
}

/** Returns the URL as the client has sent it, which is what it signs. Express keeps it beside the one without the prefix. */
const originalUrl = (request: IncomingMessage): string =>
  "originalUrl" in request && typeof request.originalUrl === "string" ? request.originalUrl : (request.url ?? "")

/**
 * Returns the S3 API as a Node request listener: `createServer(toS3Handler(holdfast))`, in Express
 * `app.use("/s3", toS3Handler(holdfast, { prefix: "/s3" }))`. No parser of bodies may run before it. Requests are signed with the S3
 * credentials of an API token (`holdfast.tokens.createS3Credentials`). The client signs its host name and path, so that a proxy has to
 * pass on both unchanged.
 *
 * Closing the Holdfast interrupts running requests; after that the listener answers `503`.
 */
export const toS3Handler = (
  holdfast: Holdfast,
  options: S3HandlerOptions = {}
): ((request: IncomingMessage, response: ServerResponse) => void) => {
  KnownOptions.check(options, { prefix: true, host: true, region: true, trustedProxies: true })
  const { host, prefix = "", region, trustedProxies } = options
  const context = PromiseApiContext.of(holdfast)
  const endpoint: Endpoint = { path: Prefix.normalize(prefix), host: host?.toLowerCase(), region }
  const findClientAddress = ClientAddress.finder(TrustedProxies.parse(trustedProxies ?? []))
  const building = Effect.gen(function* () {
    const scope = yield* Scope.fork(context.scope)
    const routes = yield* S3Routes.make(endpoint)
    const app = routes.pipe(
      Effect.updateService(HttpServerRequest, (request) =>
        request.modify({ url: originalUrl(request.source as IncomingMessage) })
      ),
      Effect.provideService(ClientAddress.FindClientAddress, findClientAddress)
    )
    const listener: RequestListener = yield* NodeHttpServer.makeHandler(app, { scope })
    return listener
  }).pipe(Effect.provideContext(context.services), Effect.runPromise)
  return PendingListener.make(context, building)
}
