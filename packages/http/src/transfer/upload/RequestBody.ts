/**
 * The raw body of a request as a stream, for contents of any size.
 */
import type { ContentTooLarge } from "@holdfast/core/files/FileErrors"
import * as Channel from "effect/Channel"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { MinimumRate } from "../MinimumRate.ts"
import type { RequestHeaders } from "../request/EntityTags.ts"
import { FormNotAccepted } from "../TransferErrors.ts"
import * as NodeRequest from "../../incoming/NodeRequest.ts"
import * as BodyGuard from "./BodyGuard.ts"
import * as BodyReader from "./BodyReader.ts"
import * as BodySource from "./BodySource.ts"

export type BodyError = BodyReader.BodyError

export interface Options {
  /** The largest body that is accepted, in bytes. */
  readonly limit: number
  /** How long the stream waits for the client's next byte before it fails. */
  readonly idleTimeout: Duration.Input
  /** The rate below which the stream fails; none when absent. */
  readonly minimumRate?: MinimumRate | undefined
}

/** What a body is, the headers of its request say. */
interface Described {
  readonly headers: RequestHeaders
}

/** Whether a request declares its body to be a form with parts (RFC 7578). */
export const isForm = ({ headers }: Described): boolean =>
  /^[ \t]*multipart\/form-data[ \t]*(?:;|$)/i.test(headers["content-type"] ?? "")

/** The length that a request declares for its body (`Content-Length`), in bytes; undefined when it declares none. */
export const declaredLength = ({ headers }: Described): number | undefined => {
  const header = headers["content-length"]
  return header !== undefined && /^\d+$/.test(header) ? Number(header) : undefined
}

const sourceOf = (request: HttpServerRequest.HttpServerRequest, isSoleListener: boolean): BodyReader.Source => {
  const node = NodeRequest.find(request)
  if (node !== undefined) return BodySource.fromNode(node.message, node.response, isSoleListener)
  return BodySource.fromWeb(
    request.source instanceof Request ? request.source.body : Stream.toReadableStream(request.stream)
  )
}

/**
 * The body of a request as a reader. Fails with `ContentTooLarge` before anything is read when the declared length is above
 * the limit. A pull fails with
 *
 * - `ContentTooLarge` at the first byte above the limit;
 * - `LengthMismatch` when the body is longer or shorter than its declared length;
 * - `BodyAborted` when the client disconnects before the end;
 * - `BodyStalled` when no byte arrives for the idle time;
 * - `BodyTooSlow` when the bytes arrive more slowly than the minimum rate.
 *
 * A client that sent `Expect: 100-continue` gets its `100 Continue` when the first byte is pulled. The reader reads ahead of
 * its consumer by a MiB at most. When it is stopped before its end, the rest of the body is left to the server, which reads a
 * bounded amount of it after the response and then closes the connection.
 */
export const reader = (
  request: HttpServerRequest.HttpServerRequest,
  options: Options
): Effect.Effect<BodyReader.Reader, ContentTooLarge> => {
  const limits = { limit: options.limit, length: declaredLength(request) }
  return Effect.andThen(
    BodyGuard.checkDeclared(limits),
    Effect.map(BodySource.IsSoleListener, (isSoleListener) =>
      BodyReader.make(sourceOf(request, isSoleListener), {
        ...limits,
        idle: Duration.toMillis(options.idleTimeout),
        minimumRate: options.minimumRate
      })
    )
  )
}

/** The body of a request as a stream that can be run once. It fails as `reader` does. */
export const open = (
  request: HttpServerRequest.HttpServerRequest,
  options: Options
): Effect.Effect<Stream.Stream<Uint8Array, BodyError>, ContentTooLarge> =>
  Effect.map(reader(request, options), ({ pull, stop }) =>
    Stream.fromChannel(
      Channel.fromTransform((_, scope) => Effect.as(Scope.addFinalizer(scope, Effect.sync(stop)), pull))
    )
  )

/** As `open`, for an operation whose body is the content itself. Fails for a form, whose parts would be stored as the content. */
export const openContent = (
  request: HttpServerRequest.HttpServerRequest,
  options: Options
): Effect.Effect<Stream.Stream<Uint8Array, BodyError>, ContentTooLarge | FormNotAccepted> =>
  isForm(request) ? Effect.fail(new FormNotAccepted()) : open(request, options)
