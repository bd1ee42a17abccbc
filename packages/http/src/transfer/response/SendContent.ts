/**
 * Responds to GET and HEAD with a content: all of it, ranges of it, or the statement that the client's copy is current.
 *
 * When the content is a local file and the server is Node's, this module writes to Node's response itself, past Effect's
 * response writer: small slices by `SmallFile`, everything else by `LargeFile`. In all other cases the body is a stream.
 */
import type { PreconditionFailed } from "@holdfast/core/Errors"
import type { BlobError } from "@holdfast/core/storage/BlobError"
import type { ByteRange } from "@holdfast/core/storage/BlobStore"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import * as Fs from "node:fs"
import type { ServerResponse } from "node:http"
import { isLiteral } from "../BodySlice.ts"
import * as LargeFile from "../local/LargeFile.ts"
import * as LocalFile from "../local/LocalFile.ts"
import * as SmallFile from "../local/SmallFile.ts"
import * as NodeRequest from "../../incoming/NodeRequest.ts"
import type { ContentGone, RangeNotSatisfiable } from "../TransferErrors.ts"
import * as BodyStream from "./BodyStream.ts"
import type { ContentDescription } from "./ContentHeaders.ts"
import * as ResponsePlan from "./ResponsePlan.ts"

/** A content to send: its description and access to its bytes. */
export interface Content extends ContentDescription {
  /** The path of a local file that holds exactly the bytes; undefined when the store has none. */
  readonly localFile?: string | undefined
  /** All bytes of the content, or a range of them. */
  readonly read: (range?: ByteRange) => Stream.Stream<Uint8Array, BlobError>
}

export type SendError = PreconditionFailed | RangeNotSatisfiable | ContentGone | BlobError

const sendLarge = (
  response: ServerResponse,
  path: string,
  { headers, slices, status }: ResponsePlan.ResponsePlan,
  size: number
): Effect.Effect<void, LocalFile.LocalFileError> =>
  LocalFile.withFile(path, (fd) =>
    Effect.suspend(() => {
      // Checked before the head is sent: after that, a failure can only be signalled by breaking the connection.
      if (Fs.fstatSync(fd).size !== size) return Effect.fail(LocalFile.sizeMismatch(path))
      response.writeHead(status, headers)
      return LargeFile.send(response, { fd, path }, slices)
    })
  )

const sendFile = (
  response: ServerResponse,
  path: string,
  plan: ResponsePlan.ResponsePlan,
  size: number
): Effect.Effect<void, LocalFile.LocalFileError> => {
  const [slice, ...more] = plan.slices
  return slice !== undefined && !isLiteral(slice) && more.length === 0 && slice.length <= SmallFile.maxLength
    ? SmallFile.send(response, { path, size }, slice, () => response.writeHead(plan.status, plan.headers))
    : sendLarge(response, path, plan, size)
}

/**
 * Responds to a GET or HEAD request with a content: 200, 206 or 304. Fails with
 *
 * - `PreconditionFailed` and `RangeNotSatisfiable`, which the caller turns into problem responses;
 * - `ContentGone` when the bytes were removed after the record was read. Nothing was sent: the caller reads the record again;
 * - `BlobError` when the store failed. If a part of the body was sent already, the connection is broken.
 *
 * @param extraHeaders Headers by lower-case name, which replace the content's own. Middleware cannot add headers to a
 * response that is written here, so the caller passes those that it would have added (CORS, request id).
 */
export const send = (
  request: HttpServerRequest.HttpServerRequest,
  content: Content,
  extraHeaders: Readonly<Record<string, string>> = {}
): Effect.Effect<HttpServerResponse.HttpServerResponse, SendError, Scope.Scope> =>
  Effect.flatMap(Clock.currentTimeMillis, (now): ReturnType<typeof send> => {
    const plan = ResponsePlan.make(request, content, extraHeaders, now)
    if (plan instanceof Error) return Effect.fail(plan)
    // When Node's response was written here, only middleware and logs see this one.
    const empty = HttpServerResponse.empty({ status: plan.status, headers: plan.headers })
    if (plan.slices.length === 0) return Effect.succeed(empty)
    const response = NodeRequest.find(request)?.response
    return response !== undefined && content.localFile !== undefined
      ? Effect.as(sendFile(response, content.localFile, plan, content.size), empty)
      : Effect.map(BodyStream.open(content, plan.slices), (body) =>
          HttpServerResponse.stream(body, {
            status: plan.status,
            headers: plan.headers,
            contentType: plan.headers["content-type"],
            contentLength: Number(plan.headers["content-length"])
          })
        )
  })
