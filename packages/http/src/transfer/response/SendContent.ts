/**
 * Answers GET and HEAD with a content: whole, in ranges, or with word that the client has it already.
 *
 * Where the content is a local file and the server is Node's, the response is written here, past Effect's writer:
 * small pieces at once, larger ones through the `Pump`. Everywhere else the body is a stream.
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
import * as BodyStream from "./BodyStream.ts"
import * as LocalFile from "../local/LocalFile.ts"
import * as NodeRequest from "../request/NodeRequest.ts"
import * as LargeFile from "../local/LargeFile.ts"
import * as ResponsePlan from "./ResponsePlan.ts"
import * as SmallFile from "../local/SmallFile.ts"
import type { ContentGone, RangeNotSatisfiable } from "../TransferErrors.ts"

/** A content to be sent: what its record says, and where its bytes are. */
export interface Content extends ResponsePlan.ContentDescription {
  /** A local file that holds exactly the bytes, where there is one. */
  readonly localFile?: string | undefined
  /** The bytes, or a range of them. */
  readonly read: (range?: ByteRange) => Stream.Stream<Uint8Array, BlobError>
}

export type SendError = PreconditionFailed | RangeNotSatisfiable | ContentGone | BlobError

const pumped = (
  response: ServerResponse,
  path: string,
  { headers, slices: pieces, status }: ResponsePlan.ResponsePlan,
  size: number
): Effect.Effect<void, LocalFile.LocalFileError> =>
  LocalFile.withFile(path, (fd) =>
    Effect.suspend(() => {
      // Before the head is sent, since after it the only way to tell is to break the connection off.
      if (Fs.fstatSync(fd).size !== size) return Effect.fail(LocalFile.sizeMismatch(path))
      response.writeHead(status, headers)
      return LargeFile.send(response, { fd, path }, pieces)
    })
  )

const fromFile = (
  response: ServerResponse,
  path: string,
  plan: ResponsePlan.ResponsePlan,
  size: number
): Effect.Effect<void, LocalFile.LocalFileError> => {
  const [piece, ...more] = plan.slices
  return piece !== undefined && "offset" in piece && more.length === 0 && piece.length <= SmallFile.maxLength
    ? SmallFile.send(response, path, piece, () => response.writeHead(plan.status, plan.headers))
    : pumped(response, path, plan, size)
}

/**
 * Answers a GET or HEAD request with a content: 200, 206 or 304.
 *
 * - `PreconditionFailed` and `RangeNotSatisfiable` are failures, for the problem documents to tell.
 * - `ContentGone`: the bytes were removed since the record was read, and nothing was sent: read the record once more.
 * - `BlobError`: the store failed. If a part was sent already, the connection is broken off.
 *
 * @param extraHeaders By lower-case name. A response that is written here passes by all middleware, so what that would
 * have added (CORS, request id) is given here; it replaces the content's own.
 */
export const send = (
  request: HttpServerRequest.HttpServerRequest,
  content: Content,
  extraHeaders: Readonly<Record<string, string>> = {}
): Effect.Effect<HttpServerResponse.HttpServerResponse, SendError, Scope.Scope> =>
  Effect.flatMap(Clock.currentTimeMillis, (now): ReturnType<typeof send> => {
    const plan = ResponsePlan.make(request, content, extraHeaders, now)
    if (plan instanceof Error) return Effect.fail(plan)
    // Once Node's response has ended, this one is only what middleware and logs see.
    const empty = HttpServerResponse.empty({ status: plan.status, headers: plan.headers })
    if (plan.slices.length === 0) return Effect.succeed(empty)
    const response = NodeRequest.find(request)?.response
    return response !== undefined && content.localFile !== undefined
      ? Effect.as(fromFile(response, content.localFile, plan, content.size), empty)
      : Effect.map(BodyStream.open(content, plan.slices), (body) =>
          HttpServerResponse.stream(body, {
            status: plan.status,
            headers: plan.headers,
            contentType: plan.headers["content-type"],
            contentLength: Number(plan.headers["content-length"])
          })
        )
  })
