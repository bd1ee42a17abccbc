/**
 * The raw body of a request as a stream, for contents of any size.
 */
import { ContentTooLarge } from "@holdfast/core/files/FileErrors"
import * as Channel from "effect/Channel"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as BodyReader from "./BodyReader.ts"
import * as BodySource from "./BodySource.ts"
import * as NodeRequest from "../request/NodeRequest.ts"

export type BodyError = BodyReader.BodyError

export interface Options {
  /** The most bytes that are taken. */
  readonly limit: number
  /** How long to wait for the next byte while one is asked for. */
  readonly idleTimeout: Duration.Input
}

/** The length that a request announces for its body, in bytes; undefined when it does not. */
export const declaredLength = (request: HttpServerRequest.HttpServerRequest): number | undefined => {
  const header = request.headers["content-length"]
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
 * The body of a request, to be run once. Fails with `ContentTooLarge` before anything is read when the announced
 * length is above the limit; the stream fails with
 *
 * - `ContentTooLarge` at the first byte above the limit;
 * - `LengthMismatch` when more or fewer bytes come than were announced;
 * - `BodyAborted` when the client goes away before the end;
 * - `BodyStalled` when nothing comes for the idle time.
 *
 * A client that waits for `100 Continue` is told to go on when the first byte is asked for. The stream is read no
 * faster than it is pulled, but for a MiB that is held ready. When it is given up before its end, the rest of the body
 * stays with the server, which reads a bounded amount of it after the answer and closes the connection.
 */
export const open = (
  request: HttpServerRequest.HttpServerRequest,
  options: Options
): Effect.Effect<Stream.Stream<Uint8Array, BodyError>, ContentTooLarge> => {
  const { limit } = options
  const length = declaredLength(request)
  if (length !== undefined && length > limit) return Effect.fail(new ContentTooLarge({ limit }))
  const idle = Duration.toMillis(options.idleTimeout)
  return Effect.map(BodySource.IsSoleListener, (isSoleListener) =>
    Stream.fromChannel(
      Channel.fromTransform((_, scope) => {
        const reader = BodyReader.make(sourceOf(request, isSoleListener), { limit, length, idle })
        return Effect.as(Scope.addFinalizer(scope, Effect.sync(reader.stop)), reader.pull)
      })
    )
  )
}
