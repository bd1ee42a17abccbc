/**
 * The common part of all routes that read contents: files' contents (`ReadingRoutes`) and streams' segments
 * (`PlaybackRoutes`).
 */
import { CurrentRequest } from "@holdfast/core/access/CurrentRequest"
import { ContentDamaged } from "@holdfast/core/files/FileErrors"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as CommonHeaders from "../../problems/CommonHeaders.ts"
import * as ProblemResponse from "../../problems/ProblemResponse.ts"
import { ContentGone, RangeNotSatisfiable } from "../TransferErrors.ts"
import * as SendContent from "./SendContent.ts"

/** Responds to the request in `context` with a content, and with the headers that every response has. */
export const sendContent = (
  context: Context.Context<HttpServerRequest.HttpServerRequest>,
  content: SendContent.Content
): ReturnType<typeof SendContent.send> => {
  const request = Context.get(context, HttpServerRequest.HttpServerRequest)
  const { requestId = "none" } = Context.get(context, CurrentRequest)
  return SendContent.send(request, content, CommonHeaders.forRequest(request, requestId))
}

const isGone = (error: unknown): error is ContentGone => error instanceof ContentGone

const toProblem = (error: ProblemResponse.CodedError) =>
  ProblemResponse.respond(
    error,
    error instanceof RangeNotSatisfiable ? { "content-range": error.contentRange } : undefined
  )

/**
 * The handler of a route that reads contents. `attempt` looks up what the request names and sends it.
 *
 * `attempt` runs a second time when it fails with `ContentGone`: the content was replaced or removed after its record was
 * read, and nothing was sent yet. If the bytes are missing in the second attempt too, they are lost although their record
 * exists: the content is damaged. Every other error becomes a problem response.
 */
export const serveContent = <E extends ProblemResponse.CodedError, R, R2>(
  attempt: (context: Context.Context<R>) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R2>
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R | R2> => {
  const sent = Effect.contextWith(attempt)
  return sent.pipe(
    Effect.catchIf(isGone, () => Effect.catchIf(sent, isGone, () => Effect.fail(new ContentDamaged()))),
    Effect.catch(toProblem)
  )
}
