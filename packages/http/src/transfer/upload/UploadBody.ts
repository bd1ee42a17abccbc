/**
 * The body of an upload: a content, or a form with one. It is read from a request while it arrives or, where all of it has arrived,
 * from memory.
 */
import { InvalidRequest } from "@holdfast/core/Errors"
import { ContentTooLarge } from "@holdfast/core/files/FileErrors"
import * as WholeContents from "@holdfast/core/storage/WholeContents"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { RequestHeaders } from "../request/EntityTags.ts"
import { FormNotAccepted, UnsupportedMediaType } from "../TransferErrors.ts"
import * as BodyGuard from "./BodyGuard.ts"
import * as MultipartUpload from "./MultipartUpload.ts"
import * as RequestBody from "./RequestBody.ts"
import * as UploadFormParser from "./UploadFormParser.ts"

export interface UploadBody {
  /** The headers of the request. */
  readonly headers: RequestHeaders
  /** Opens a body that is the content itself. Fails as `RequestBody.openContent` does. */
  readonly openContent: (
    options: RequestBody.Options
  ) => Effect.Effect<Stream.Stream<Uint8Array, RequestBody.BodyError>, ContentTooLarge | FormNotAccepted>
  /** Opens a form. Fails as `MultipartUpload.parse` does. */
  readonly openForm: (
    options: RequestBody.Options
  ) => Effect.Effect<MultipartUpload.Upload, MultipartUpload.UploadError | UnsupportedMediaType, Scope.Scope>
}

/** The body of a request while it arrives. */
export const fromRequest = (request: HttpServerRequest): UploadBody => ({
  headers: request.headers,
  openContent: (options) => RequestBody.openContent(request, options),
  openForm: (options) => MultipartUpload.parse(request, options)
})

const joined = (chunks: ReadonlyArray<Uint8Array>): Uint8Array => {
  const [first] = chunks
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)
}

const parseForm = (headers: RequestHeaders, bytes: Uint8Array) =>
  Effect.suspend(() => {
    const form = UploadFormParser.make(headers["content-type"] ?? "")
    const fault = form.push(bytes) ?? form.end()
    if (fault !== undefined) return Effect.fail(InvalidRequest.at(fault.pointer, fault.detail))
    const part = form.file()
    if (part === undefined) return Effect.fail(InvalidRequest.at("/file", "is required"))
    const upload: MultipartUpload.Upload = {
      file: { ...part, stream: WholeContents.stream(joined(form.takeFileBytes())) },
      isBodyKnown: form.bodyBeforeFile() !== undefined,
      body: Effect.succeed(form.body()?.value)
    }
    return Effect.succeed(upload)
  })

/** A body that has arrived as a whole. The bytes must not change any more. */
export const fromBytes = (headers: RequestHeaders, bytes: Uint8Array): UploadBody => ({
  headers,
  openContent: ({ limit }) =>
    RequestBody.isForm({ headers })
      ? Effect.fail(new FormNotAccepted())
      : Effect.map(BodyGuard.checkDeclared({ length: bytes.length, limit }), () => WholeContents.stream(bytes)),
  openForm: ({ limit }) =>
    !RequestBody.isForm({ headers })
      ? Effect.fail(new UnsupportedMediaType({ expected: "multipart/form-data" }))
      : bytes.length > limit + UploadFormParser.maxOverhead
        ? Effect.fail(new ContentTooLarge({ limit }))
        : parseForm(headers, bytes)
})
