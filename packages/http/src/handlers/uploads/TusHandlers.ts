/**
 * The requests of tus 1.0.0 (https://tus.io/protocols/resumable-upload).
 */
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { InvalidRequest, type NotFound } from "@holdfast/core/Errors"
import type { File } from "@holdfast/core/files/File"
import type { ChecksumMismatch } from "@holdfast/core/files/FileErrors"
import type { Upload } from "@holdfast/core/uploads/Upload"
import { OffsetMismatch, takesNoBytes } from "@holdfast/core/uploads/UploadErrors"
import type { UploadRef } from "@holdfast/core/uploads/UploadRepository"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as ProblemBody from "../../problems/ProblemBody.ts"
import * as RequestId from "../../problems/RequestId.ts"
import { UnsupportedMediaType } from "../../transfer/TransferErrors.ts"
import * as HttpDate from "../../transfer/request/HttpDate.ts"
import * as TusHeaders from "../../transfer/request/TusHeaders.ts"
import * as RequestBody from "../../transfer/upload/RequestBody.ts"
import { directoryOf, locationOf, type Query, refOf, type Requester, type UploadRequests } from "./UploadRequests.ts"

export const version = "1.0.0"

export const extensions =
  "creation,creation-with-upload,creation-defer-length,termination,expiration,checksum,concatenation"

export const mediaType = "application/offset+octet-stream"

/** Whether a request is one of tus. */
export const isTus = ({ headers }: HttpServerRequest): boolean => headers["tus-resumable"] !== undefined

const hasType = ({ headers }: HttpServerRequest): boolean =>
  headers["content-type"]?.split(";")[0]?.trim().toLowerCase() === mediaType

/** Whether a request has a body, or may have one. */
const hasBody = (request: HttpServerRequest): boolean =>
  request.headers["transfer-encoding"] !== undefined || (RequestBody.declaredLength(request) ?? 0) > 0

/** Whether an upload has all bytes of the file that it makes. */
const isWhole = ({ length, received, terms }: Upload): boolean => length === received && terms.isPartial !== true

/** The status of tus for a body that does not have the declared digest. */
const checksumMismatch = 460

/** Answers with the status of tus, which is none of HTTP. */
const respondMismatch = (error: ChecksumMismatch) =>
  Effect.map(RequestId.current, (requestId) => {
    const problem = ProblemBody.make({ ...error, detail: error.message, requestId, status: checksumMismatch })
    const { contentType } = ProblemBody
    return HttpServerResponse.text(JSON.stringify(problem), {
      status: checksumMismatch,
      statusText: "Checksum Mismatch",
      contentType
    })
  })

/** Returns the headers that describe an upload. */
const stateOf = (upload: Upload, file: File | undefined) => ({
  "upload-offset": String(upload.received),
  ...(file === undefined
    ? { "upload-expires": HttpDate.format(DateTime.toEpochMillis(upload.expiresAt)) }
    : { "holdfast-file-id": file.id })
})

/** Returns why an upload takes no bytes any more. */
const refuseDone =
  (error: NotFound) =>
  ({ received, state }: Upload): Effect.Effect<never, NotFound | OffsetMismatch> =>
    state !== "DONE" ? Effect.fail(error) : Effect.fail(new OffsetMismatch({ offset: received }))

/** Returns the headers that the client gave the upload, for `HEAD`. */
const givenTo = ({ length, terms }: Upload) => ({
  ...(length === null ? { "upload-defer-length": "1" } : { "upload-length": String(length) }),
  ...terms.notes
})

export const make = (requests: UploadRequests) => {
  const completeIfWhole = Effect.fnUntraced(function* (requester: Requester, upload: Upload) {
    return isWhole(upload) ? yield* requests.complete(requester, upload) : undefined
  })

  return {
    create: Effect.fnUntraced(
      function* (requester: Requester, bucket: BucketRef, request: HttpServerRequest, query: Query) {
        const concat = yield* TusHeaders.concat(request.headers, directoryOf(bucket))
        const isFinal = typeof concat === "object"
        // The length of a final upload is that of its partial ones.
        const length = isFinal ? undefined : yield* TusHeaders.creationLength(request.headers)
        const checksum = yield* TusHeaders.checksum(request.headers)
        const withBody = hasBody(request)
        if (withBody && isFinal) return yield* takesNoBytes
        if (withBody && !hasType(request)) return yield* new UnsupportedMediaType({ expected: mediaType })
        const header = request.headers["upload-concat"]
        const created = yield* requests.create(requester, bucket, request, query, {
          length,
          isPartial: concat === "partial",
          partials: isFinal ? concat.uploadIds : undefined,
          notes: header === undefined ? undefined : { "upload-concat": header }
        })
        const ref = refOf(created)
        return yield* Effect.gen(function* () {
          const upload = withBody
            ? yield* requests.appendFirst(requester, ref, request, { offset: 0, checksum })
            : created
          const file = yield* completeIfWhole(requester, upload)
          const headers = { ...stateOf(upload, file), location: yield* locationOf(ref) }
          return HttpServerResponse.empty({ status: 201, headers })
        }).pipe(
          // The client does not know the address of the upload.
          Effect.onError(() => Effect.ignore(requests.abort(requester, ref)))
        )
      },
      Effect.catchTag("ChecksumMismatch", respondMismatch)
    ),

    head: Effect.fnUntraced(function* (requester: Requester, ref: UploadRef) {
      const upload = yield* requests.resume(requester, ref)
      // A client of tus takes an upload with all of its bytes for complete.
      const file = yield* completeIfWhole(requester, upload)
      const headers = { ...stateOf(upload, file), ...givenTo(upload), "cache-control": "no-store" }
      return HttpServerResponse.empty({ status: 200, headers })
    }),

    patch: Effect.fnUntraced(
      function* (requester: Requester, ref: UploadRef, request: HttpServerRequest) {
        if (!hasType(request)) return yield* new UnsupportedMediaType({ expected: mediaType })
        const offset = yield* TusHeaders.bytes(request.headers, "Upload-Offset")
        if (offset === undefined) return yield* InvalidRequest.at("", "the header Upload-Offset is required")
        const length = yield* TusHeaders.bytes(request.headers, "Upload-Length")
        const checksum = yield* TusHeaders.checksum(request.headers)
        const upload = yield* requests
          .append(requester, ref, request, { offset, length, checksum })
          .pipe(Effect.catchTag("NotFound", (error) => Effect.flatMap(requests.get(requester, ref), refuseDone(error))))
        const file = yield* completeIfWhole(requester, upload)
        return HttpServerResponse.empty({ status: 204, headers: stateOf(upload, file) })
      },
      Effect.catchTag("ChecksumMismatch", respondMismatch)
    ),

    remove: Effect.fnUntraced(function* (requester: Requester, ref: UploadRef) {
      yield* requests.abort(requester, ref)
      return HttpServerResponse.empty({ status: 204 })
    })
  }
}
