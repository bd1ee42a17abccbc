/**
 * Mounts a Holdfast as a function from a web `Request` to a web `Response`.
 */
import type { Holdfast } from "@holdfast/core"
import * as PromiseApiContext from "@holdfast/core/promises/PromiseApiContext"
import type { PromiseApiServices } from "@holdfast/core/promises/PromiseRuntime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpEffect from "effect/http/HttpEffect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { Scope } from "effect/Scope"
import { type FrameOptions, toFrameAncestors } from "./FrameOptions.ts"
import * as KnownOptions from "./KnownOptions.ts"
import { type LimitOptions, toLimits } from "./LimitOptions.ts"
import * as Mount from "./Mount.ts"
import type { Authenticated } from "./NodeListener.ts"
import * as Prefix from "./Prefix.ts"
import * as Refusal from "./Refusal.ts"

export interface WebHandlerOptions<Host = unknown> extends LimitOptions, FrameOptions {
  /** The path prefix of the API, such as `/files`. */
  readonly prefix?: string | undefined
  /**
   * The host's own authentication, used instead of an API key. Every operation calls it, with the second argument of
   * the handler. A rejection is answered with `internal`. Requests by it that change something are refused when a page of
   * another origin made them.
   */
  readonly authenticate?: ((request: Request, host: Host) => Authenticated | Promise<Authenticated>) | undefined
  /** As in `NodeListenerOptions`. */
  readonly trustedOrigins?: ReadonlyArray<string> | undefined
  /**
   * Returns the address of a request's client, which a web `Request` does not have; undefined if it is not known. It must not be
   * the value of a header that clients can write.
   */
  readonly clientAddress?: ((request: Request, host: Host) => string | undefined) | undefined
}

/** `host` is passed to `authenticate` and `clientAddress`: for example Hono's context, or the second argument of Next's route handlers. */
export type WebHandler<Host = unknown> = (
  request: Request,
  ...host: unknown extends Host ? [Host?] : [Host]
) => Promise<Response>

/**
 * Returns the whole API as a web handler: `app.all("/files/*", (c) => handler(c.req.raw, c))` in Hono,
 * `export { handler as GET, handler as POST, … }` in Next. Paths begin with `/api/v1` below the prefix. Contents stream
 * in both directions. An aborted upload stores nothing. Every failure is answered with a problem (RFC 9457).
 *
 * Closing the Holdfast interrupts running requests; after that the handler answers `503`.
 */
export const toWebHandler = <Host = unknown>(
  holdfast: Holdfast,
  options: WebHandlerOptions<Host> = {}
): WebHandler<Host> => {
  const context = PromiseApiContext.of(holdfast)
  KnownOptions.check(options, { ...KnownOptions.shared, prefix: true, clientAddress: true })
  const { authenticate, clientAddress } = options
  const trustedOrigins = new Set(options.trustedOrigins)
  const limits = toLimits(options)
  const prefix = Prefix.normalize(options.prefix ?? "")
  const building = Mount.make(context, toFrameAncestors(options)).then(({ app, register, scope }) => {
    const scoped: Mount.App = Effect.withFiber((fiber) => {
      Fiber.runIn(fiber, scope)
      return app
    })
    return {
      register,
      handler: HttpEffect.toWebHandlerWith<PromiseApiServices, HttpServerRequest | Scope>(context.services)(scoped)
    }
  })
  // Each request reports a failed build. Before the first request, nothing could.
  building.catch(() => undefined)

  return async (request, ...[host]) => {
    if (context.isClosed()) return Refusal.toResponse(Refusal.closed)
    const { handler, register } = await building
    if (context.isClosed()) return Refusal.toResponse(Refusal.closed)
    register(request, {
      prefix,
      mountPath: prefix,
      limits,
      trustedOrigins,
      findClientAddress: () => clientAddress?.(request, host as Host),
      authenticate: authenticate === undefined ? undefined : () => authenticate(request, host as Host)
    })
    return handler(request)
  }
}
