/**
 * A Holdfast as a function from web `Request` to web `Response`.
 */
import type { Holdfast } from "@holdfast/core"
import * as PromiseApiContext from "@holdfast/core/promises/PromiseApiContext"
import type { PromiseApiServices } from "@holdfast/core/promises/PromiseRuntime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpEffect from "effect/http/HttpEffect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { Scope } from "effect/Scope"
import * as Mount from "./Mount.ts"
import type { Authenticated } from "./NodeListener.ts"
import * as Prefix from "./Prefix.ts"
import * as Refusal from "./Refusal.ts"

export interface WebHandlerOptions<Host = unknown> {
  /** The path under which the API stands, such as `/files`. */
  readonly prefix?: string | undefined
  /**
   * The host's own authentication, in place of an API key: it is asked by every operation, with what the host gave
   * beside the request. What it rejects with is an internal error. Where it goes by a cookie, let the cookie be
   * `SameSite`: a form of another site could upload.
   */
  readonly authenticate?: ((request: Request, host: Host) => Authenticated | Promise<Authenticated>) | undefined
}

/** `host` is for `authenticate`: Hono's context, the second argument of Next's route handlers. */
export type WebHandler<Host = unknown> = (
  request: Request,
  ...host: unknown extends Host ? [Host?] : [Host]
) => Promise<Response>

/**
 * The whole API as a web handler: `app.all("/files/*", (c) => handler(c.req.raw, c))` in Hono,
 * `export { handler as GET, handler as POST, … }` in Next. Paths begin with `/api/v1` below the prefix. Contents stream
 * both ways, an aborted request leaves nothing, and whatever goes wrong is answered with a problem (RFC 9457).
 *
 * Closing the Holdfast interrupts what runs and makes the handler answer `503`.
 */
export const toWebHandler = <Host = unknown>(
  holdfast: Holdfast,
  options: WebHandlerOptions<Host> = {}
): WebHandler<Host> => {
  const door = PromiseApiContext.of(holdfast)
  const { authenticate } = options
  const prefix = Prefix.normalize(options.prefix ?? "")
  const building = Mount.make(door).then(({ announce, app, scope }) => {
    const attached: Mount.App = Effect.withFiber((fiber) => {
      Fiber.runIn(fiber, scope)
      return app
    })
    return {
      announce,
      handler: HttpEffect.toWebHandlerWith<PromiseApiServices, HttpServerRequest | Scope>(door.services)(attached)
    }
  })
  // Told by each request; before the first there is nobody to tell.
  building.catch(() => undefined)

  return async (request, ...[host]) => {
    if (door.isClosed()) return Refusal.make(Refusal.closed)
    const { announce, handler } = await building
    if (door.isClosed()) return Refusal.make(Refusal.closed)
    announce(request, {
      prefix,
      mountPath: prefix,
      authenticate: authenticate === undefined ? undefined : () => authenticate(request, host as Host)
    })
    return handler(request)
  }
}
