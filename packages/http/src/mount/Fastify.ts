/**
 * Mounts a Holdfast as a plugin of Fastify.
 */
import type { Holdfast } from "@holdfast/core"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { FrameOptions } from "./FrameOptions.ts"
import * as KnownOptions from "./KnownOptions.ts"
import type { LimitOptions } from "./LimitOptions.ts"
import * as NodeListener from "./NodeListener.ts"

/** The part of Fastify's request that the plugin uses. */
export interface FastifyRequestLike {
  readonly raw: IncomingMessage
}

interface FastifyReplyLike {
  readonly raw: ServerResponse
  hijack(): unknown
}

/** The part of Fastify 5 that the plugin uses. */
export interface FastifyLike<Request extends FastifyRequestLike> {
  readonly prefix: string
  removeAllContentTypeParsers(): void
  addContentTypeParser(
    contentType: string,
    parser: (request: Request, payload: IncomingMessage, done: (error: Error | null) => void) => void
  ): unknown
  all(path: string, handler: (request: Request, reply: FastifyReplyLike) => void): unknown
}

export interface FastifyOptions<Request extends FastifyRequestLike> extends LimitOptions, FrameOptions {
  /** As in `NodeListenerOptions`, with Fastify's own request, which has what hooks and decorators added to it. */
  readonly authenticate?:
    | ((request: Request) => NodeListener.Authenticated | Promise<NodeListener.Authenticated>)
    | undefined
  /** As in `NodeListenerOptions`. */
  readonly trustedOrigins?: ReadonlyArray<string> | undefined
  /** As in `NodeListenerOptions`. Fastify's own `trustProxy` has no effect on the plugin. */
  readonly trustedProxies?: ReadonlyArray<string> | undefined
}

/**
 * Returns the whole API as a plugin: `app.register(toFastify(holdfast), { prefix: "/files" })`. Fastify's hooks run
 * before it. Inside the plugin, and only there, Fastify's body parsers and replies are not used. For the rest see
 * `toNodeListener`.
 */
export const toFastify = <Request extends FastifyRequestLike = FastifyRequestLike>(
  holdfast: Holdfast,
  options: FastifyOptions<Request> = {}
): ((app: FastifyLike<Request>) => Promise<void>) => {
  KnownOptions.check(options, { ...KnownOptions.shared, trustedProxies: true })
  const { authenticate, ...others } = options
  return async (app) => {
    const listener = NodeListener.make(holdfast, { ...others, prefix: app.prefix })
    app.removeAllContentTypeParsers()
    app.addContentTypeParser("*", (_request, _payload, done) => done(null))
    app.all("/*", (request, reply) => {
      reply.hijack()
      listener(request.raw, reply.raw, authenticate === undefined ? undefined : () => authenticate(request))
    })
  }
}
