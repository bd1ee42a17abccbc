/**
 * Responds to GET and HEAD with a content: all of it, ranges of it, or the statement that the client's copy is current.
 *
 * When the content is a local file and the server is Node's, this module writes to Node's response itself, past Effect's
 * response writer: small slices by `SmallFile`, everything else by `LargeFile`. In all other cases the body is a stream.
 */
import type { PreconditionFailed } from "@holdfast/core/Errors"
import { ContentDamaged } from "@holdfast/core/files/FileErrors"
import type { StoredContent } from "@holdfast/core/files/StoredContent"
import type { BlobError } from "@holdfast/core/storage/BlobError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import * as Fs from "node:fs"
import type { ServerResponse } from "node:http"
import { isLiteral } from "../BodySlice.ts"
import * as LargeFile from "../local/LargeFile.ts"
import * as LocalFile from "../local/LocalFile.ts"
import * as PartFiles from "../local/PartFiles.ts"
import * as SmallFile from "../local/SmallFile.ts"
import * as TransientBody from "../local/TransientBody.ts"
import * as NodeRequest from "../../incoming/NodeRequest.ts"
import { ContentGone, type RangeNotSatisfiable } from "../TransferErrors.ts"
import * as BodyStream from "./BodyStream.ts"
import type { ContentDescription } from "./ContentHeaders.ts"
import * as ResponsePlan from "./ResponsePlan.ts"

/** A content to send: its description and access to its bytes. */
export interface Content extends ContentDescription, StoredContent {}

export type SendError = PreconditionFailed | RangeNotSatisfiable | ContentGone | ContentDamaged | BlobError

const sendLarge = (
  response: ServerResponse,
  path: string,
  { headers, slices, status }: ResponsePlan.ResponsePlan,
  size: number
): Effect.Effect<void, LocalFile.LocalFileError> =>
  LocalFile.withFile(path, (fd) =>
    Effect.suspend(() => {
      // Checked before the head is sent: after that, a failure can only be signalled by breaking the connection.
      if (Fs.fstatSync(fd).size !== size) return Effect.fail(new ContentDamaged())
      response.writeHead(status, headers)
      return LargeFile.send(response, fd, slices)
    })
  )

const sendFile = (
  response: ServerResponse,
  path: string,
  plan: ResponsePlan.ResponsePlan,
  { etag, size }: Content
): Effect.Effect<void, LocalFile.LocalFileError> => {
  const [slice, ...more] = plan.slices
  return slice !== undefined && !isLiteral(slice) && more.length === 0 && slice.length <= SmallFile.maxLength
    ? SmallFile.send(response, { path, size, etag }, slice, () => response.writeHead(plan.status, plan.headers))
    : sendLarge(response, path, plan, size)
}

/** Sends a body that is made in memory that is used again; undefined when the content has none, or for several ranges. */
const sendTransient = (
  response: ServerResponse,
  { headers, slices, status }: ResponsePlan.ResponsePlan,
  { readTransient, size }: Content
): Effect.Effect<void, ContentGone | ContentDamaged | BlobError> | undefined => {
  const [slice, ...more] = slices
  if (readTransient === undefined || slice === undefined || isLiteral(slice) || more.length > 0) return undefined
  const chunks = slice.length === size ? readTransient() : readTransient(slice)
  return Effect.mapError(
    TransientBody.send(response, chunks, () => response.writeHead(status, headers)),
    (error) =>
      !response.headersSent && error._tag === "BlobError" && error.reason === "NotFound" ? new ContentGone() : error
  )
}

/** Sends the body from local files; undefined when the content has none. */
const sendLocal = (
  response: ServerResponse,
  plan: ResponsePlan.ResponsePlan,
  content: Content
): Effect.Effect<void, LocalFile.LocalFileError> | undefined => {
  const { localFile, localParts } = content
  if (localFile !== undefined) return sendFile(response, localFile, plan, content)
  return localParts && PartFiles.send(response, localParts, plan)
}

/** Sends the body that the plan has, and returns the response that middleware and logs see. */
const sendPlanned = (
  request: HttpServerRequest.HttpServerRequest,
  content: Content,
  plan: ResponsePlan.ResponsePlan
): Effect.Effect<HttpServerResponse.HttpServerResponse, ContentGone | ContentDamaged | BlobError, Scope.Scope> => {
  // When Node's response was written here, only middleware and logs see this one.
  const empty = HttpServerResponse.empty({ status: plan.status, headers: plan.headers })
  if (plan.status === 304) return Effect.succeed(empty)
  // A response without a body must not promise bytes that a GET would not get.
  if (plan.slices.length === 0) {
    const { localFile: path, size } = content
    if (path !== undefined && SmallFile.isKept({ path, size })) return Effect.succeed(empty)
    return Effect.mapError(Effect.as(content.check, empty), (error) =>
      error._tag === "BlobError" && error.reason === "NotFound" ? new ContentGone() : error
    )
  }
  const response = NodeRequest.find(request)?.response
  const sent =
    response === undefined ? undefined : (sendLocal(response, plan, content) ?? sendTransient(response, plan, content))
  return sent !== undefined
    ? Effect.as(sent, empty)
    : Effect.map(BodyStream.open(content, plan.slices), (body) =>
        HttpServerResponse.stream(body, {
          status: plan.status,
          headers: plan.headers,
          contentType: plan.headers["content-type"],
          contentLength: Number(plan.headers["content-length"])
        })
      )
}

/**
 * Responds to a GET request as `send` does, on Node's response alone. Returns false, and has sent nothing, when that is not possible:
 * the content neither is a local file nor made in memory, or the response has no body for which it is read.
 */
export const sendTo = (
  response: ServerResponse,
  request: ResponsePlan.ReadRequest,
  content: Content,
  extraHeaders: Readonly<Record<string, string>>
): Effect.Effect<boolean, SendError> =>
  Effect.flatMap(Clock.currentTimeMillis, (now): ReturnType<typeof sendTo> => {
    const { localFile, localParts, readTransient } = content
    if (localFile === undefined && localParts === undefined && readTransient === undefined) return Effect.succeed(false)
    const plan = ResponsePlan.make(request, content, extraHeaders, now)
    if (plan instanceof Error) return Effect.fail(plan)
    if (plan.status === 304) {
      response.writeHead(plan.status, plan.headers).end()
      return Effect.succeed(true)
    }
    const sent =
      plan.slices.length === 0
        ? undefined
        : (sendLocal(response, plan, content) ?? sendTransient(response, plan, content))
    return sent === undefined
      ? Effect.succeed(false)
      : Effect.tapError(Effect.as(sent, true), (error) => (isLost(error) ? content.reportDamage : Effect.void))
  })

const isLost = (error: SendError): boolean =>
  error._tag === "BlobError"
    ? error.reason === "Unreadable"
    : error._tag === "ContentGone" || error._tag === "ContentDamaged"

/**
 * Responds to a GET or HEAD request with a content: 200, 206 or 304. Fails with
 *
 * - `PreconditionFailed` and `RangeNotSatisfiable`, which the caller turns into problem responses;
 * - `ContentGone` when the bytes were removed after the record was read. Nothing was sent: the caller reads the record again;
 * - `ContentDamaged` when the bytes are not those of the record. Nothing was sent, unless they were lost while they were sent;
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
    // The check of the report ignores a content that was replaced or removed after its record was read.
    return Effect.tapError(sendPlanned(request, content, plan), (error) =>
      isLost(error) ? content.reportDamage : Effect.void
    )
  })
