/**
 * A Holdfast as a plugin of Fastify.
 */
import type { Holdfast } from "@holdfast/core"
import type { IncomingMessage, ServerResponse } from "node:http"
import * as NodeListener from "./NodeListener.ts"
import * as Prefix from "./Prefix.ts"

/** As much of Fastify's request as is used here. */
export interface FastifyRequestLike {
  readonly raw: IncomingMessage
}

interface FastifyReplyLike {
  readonly raw: ServerResponse
  hijack(): unknown
}

/** As much of Fastify 5 as is used here. */
export interface FastifyLike<Request extends FastifyRequestLike> {
  readonly prefix: string
  removeAllContentTypeParsers(): void
  addContentTypeParser(
    contentType: string,
    parser: (request: Request, payload: IncomingMessage, done: (error: Error | null) => void) => void
  ): unknown
  all(path: string, handler: (request: Request, reply: FastifyReplyLike) => void): unknown
}

export interface FastifyOptions<Request extends FastifyRequestLike> {
  /** As in `NodeListenerOptions`, with Fastify's own request: what hooks and decorators put there is there. */
  readonly authenticate?:
    | ((request: Request) => NodeListener.Authenticated | Promise<NodeListener.Authenticated>)
    | undefined
}

/**
 * The whole API as a plugin: `app.register(toFastify(holdfast), { prefix: "/files" })`. Fastify's hooks run before it;
 * its parsers of bodies and its replies are left out, inside the plugin alone. For the rest see `toNodeListener`.
 */
export const toFastify = <Request extends FastifyRequestLike = FastifyRequestLike>(
  holdfast: Holdfast,
  options: FastifyOptions<Request> = {}
): ((app: FastifyLike<Request>) => Promise<void>) => {
  const { authenticate } = options
  return async (app) => {
    const listener = NodeListener.make(holdfast, Prefix.normalize(app.prefix))
    app.removeAllContentTypeParsers()
    app.addContentTypeParser("*", (_request, _payload, done) => done(null))
    app.all("/*", (request, reply) => {
      reply.hijack()
      listener(request.raw, reply.raw, authenticate === undefined ? undefined : () => authenticate(request))
    })
  }
}
