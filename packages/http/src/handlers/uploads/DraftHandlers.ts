/**
 * The requests of the draft "Resumable Uploads for HTTP" (draft-ietf-httpbis-resumable-upload), of its interop versions 8 and 6.
 */
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { InvalidRequest, type NotFound } from "@holdfast/core/Errors"
import type { File } from "@holdfast/core/files/File"
import type { ContentTooLarge } from "@holdfast/core/files/FileErrors"
import type { Upload } from "@holdfast/core/uploads/Upload"
import type { OffsetMismatch } from "@holdfast/core/uploads/UploadErrors"
import type { UploadRef } from "@holdfast/core/uploads/UploadRepository"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as CommonHeaders from "../../problems/CommonHeaders.ts"
import * as DraftTypes from "../../problems/DraftTypes.ts"
import * as ProblemBody from "../../problems/ProblemBody.ts"
import * as RequestId from "../../problems/RequestId.ts"
import * as Digests from "../../transfer/request/Digests.ts"
import * as UploadFields from "../../transfer/request/UploadFields.ts"
import * as InterimResponse from "../../transfer/response/InterimResponse.ts"
import { UnsupportedMediaType } from "../../transfer/TransferErrors.ts"
import * as RequestBody from "../../transfer/upload/RequestBody.ts"
import * as FileJson from "../support/FileJson.ts"
import { locationOf, type Query, refOf, type Requester, type UploadRequests } from "./UploadRequests.ts"

export const mediaType = "application/partial-upload"

const typeOf = ({ headers }: HttpServerRequest): string | undefined =>
  headers["content-type"]?.split(";")[0]?.trim().toLowerCase()

/** Returns `Upload-Limit`: the largest content, and the seconds until the upload ends. */
export const limitOf = (maxBytes: number, seconds?: number): string =>
  [
    `max-size=${Math.min(maxBytes, UploadFields.maxInteger)}`,
    ...(seconds === undefined ? [] : [`max-age=${Math.max(0, Math.floor(seconds))}`])
  ].join(", ")

/** Answers with a problem of the draft, which has the members of every problem besides. */
const respondProblem = (
  error: OffsetMismatch | InvalidRequest,
  type: string,
  members: object,
  headers: Record<string, string>
) =>
  Effect.map(RequestId.current, (requestId) => {
    const problem = ProblemBody.make({ code: error.code, detail: error.message, requestId })
    const faults = error.code === "invalid_request" ? { errors: error.errors } : undefined
    return HttpServerResponse.text(JSON.stringify({ ...problem, type, ...faults, ...members }), {
      status: problem.status,
      contentType: ProblemBody.contentType,
      headers: { "upload-complete": "?0", ...headers }
    })
  })

const completed = InvalidRequest.at("", "the upload is complete and cannot be changed")
const inconsistent = InvalidRequest.at("/length", "Upload-Length differs from the length that the request has")

/** Whether an error is about the length that a request declares. */
const concernsLength = ({ errors }: InvalidRequest): boolean => errors.some(({ pointer }) => pointer === "/length")

/** Returns the length of the whole content, as far as a request states it. */
const lengthOf = (
  request: HttpServerRequest,
  offset: number,
  isLast: boolean
): Effect.Effect<number | undefined, InvalidRequest> => {
  const declared = UploadFields.length(request.headers)
  const contentLength = RequestBody.declaredLength(request)
  const ending = isLast && contentLength !== undefined ? offset + contentLength : undefined
  return declared !== undefined && ending !== undefined && declared !== ending
    ? Effect.fail(inconsistent)
    : Effect.succeed(declared ?? ending)
}

const checksumOf = ({ headers }: HttpServerRequest) =>
  Effect.map(Digests.declaredSha256({ "content-digest": headers["content-digest"] }), (sha256) =>
    sha256 === undefined ? undefined : { algorithm: "sha256" as const, digest: Buffer.from(sha256, "hex") }
  )

export const make = (requests: UploadRequests) => {
  const stateOf = (requester: Requester, upload: Upload, isComplete: boolean) =>
    Effect.map(DateTime.now, (now) => ({
      "upload-offset": String(upload.received),
      "upload-complete": UploadFields.formatBoolean(isComplete),
      ...(upload.length === null ? undefined : { "upload-length": String(upload.length) }),
      "upload-limit": limitOf(
        requests.maxBytes(requester.link),
        (DateTime.toEpochMillis(upload.expiresAt) - DateTime.toEpochMillis(now)) / 1000
      )
    }))

  /** States the limit with the error of a content that is too large, as the draft requires (section "Limits"). */
  const stateLimit =
    ({ link }: Requester, request: HttpServerRequest) =>
    ({ isOfBucket, limit }: ContentTooLarge) =>
      Effect.sync(() => {
        const maxBytes = isOfBucket === true ? limit : requests.maxBytes(link)
        CommonHeaders.register(request, { "upload-limit": limitOf(maxBytes) })
      })

  /** Answers a length that contradicts another one. States the limit, which the length may exceed as well. */
  const respondInvalid =
    ({ link }: Requester) =>
    (error: InvalidRequest) =>
      concernsLength(error)
        ? respondProblem(error, DraftTypes.inconsistentLength, {}, { "upload-limit": limitOf(requests.maxBytes(link)) })
        : Effect.fail(error)

  /**
   * Ends an upload to which a request sends more bytes than its declared length: the draft requires a server to reject any further
   * interaction with it (section "Upload Append").
   */
  const endExceeded =
    (requester: Requester, ref: UploadRef) =>
    (error: ContentTooLarge): Effect.Effect<never, ContentTooLarge | InvalidRequest> =>
      error.isDeclared === true
        ? Effect.andThen(Effect.ignore(requests.abort(requester, ref)), InvalidRequest.at("/length", error.message))
        : Effect.fail(error)

  /** The same for a request whose length contradicts the declared one. It was refused before its content was read. */
  const endIfLonger = Effect.fnUntraced(function* (
    requester: Requester,
    ref: UploadRef,
    error: InvalidRequest,
    end: number
  ) {
    if (!concernsLength(error)) return yield* error
    const { length, state } = yield* requests.get(requester, ref)
    if (state === "OPEN" && length !== null && end > length) yield* Effect.ignore(requests.abort(requester, ref))
    return yield* error
  })

  /** Completes an upload. From here on an error is one of the file, which sending bytes again does not mend. */
  const complete = (requester: Requester, upload: Upload, request: HttpServerRequest) =>
    Effect.suspend(() => {
      CommonHeaders.register(request, { "upload-complete": "?1" })
      return requests.complete(requester, upload)
    })

  const respondWithFile = (file: File, upload: Upload, status: number, headers: Record<string, string>) =>
    HttpServerResponse.setStatus(
      HttpServerResponse.setHeaders(FileJson.respondWithFile(file), {
        ...headers,
        "upload-offset": String(upload.received),
        "upload-complete": "?1",
        "holdfast-file-id": file.id
      }),
      status
    )

  const create = Effect.fnUntraced(
    function* (
      requester: Requester,
      bucket: BucketRef,
      request: HttpServerRequest,
      query: Query,
      /** Returns the path that `Location` has once the upload is complete. */
      completedAt: (file: File, uploadPath: string) => Effect.Effect<string>
    ) {
      const isLast = UploadFields.complete(request.headers) === true
      const length = yield* lengthOf(request, 0, isLast)
      const checksum = yield* checksumOf(request)
      const type = typeOf(request)
      const created = yield* requests.create(requester, bucket, request, query, {
        length,
        defaultType: type === mediaType ? undefined : request.headers["content-type"]
      })
      const ref = refOf(created)
      const location = yield* locationOf(ref)
      const { "upload-limit": limit } = yield* stateOf(requester, created, false)
      const isAnnounced = InterimResponse.resumptionSupported(request, { location, "upload-limit": limit })
      return yield* Effect.gen(function* () {
        const onStored = ({ received }: Upload) =>
          void InterimResponse.resumptionSupported(request, { location, "upload-offset": String(received) })
        const upload = yield* requests.appendFirst(requester, ref, request, { offset: 0, checksum, onStored })
        if (!isLast) {
          const headers = { ...(yield* stateOf(requester, upload, false)), location }
          return HttpServerResponse.empty({ status: 201, headers })
        }
        const file = yield* complete(requester, upload, request)
        const headers = { location: yield* completedAt(file, location) }
        return respondWithFile(file, upload, file.version === 1 ? 201 : 200, headers)
      }).pipe(
        Effect.catchTag("ContentTooLarge", endExceeded(requester, ref)),
        // Without the interim answer the client does not know the address of the upload.
        Effect.onError(() => (isAnnounced ? Effect.void : Effect.ignore(requests.abort(requester, ref))))
      )
    },
    (created, requester, _bucket, request) =>
      created.pipe(
        Effect.tapErrorTag("ContentTooLarge", stateLimit(requester, request)),
        Effect.catchTag("InvalidRequest", respondInvalid(requester))
      )
  )

  /** Returns the completed upload where this request adds nothing to it, so that it is answered again; else the problem. */
  const repeat = Effect.fnUntraced(function* (
    requester: Requester,
    ref: UploadRef,
    error: NotFound,
    offset: number,
    isEmpty: boolean
  ) {
    const upload = yield* requests.get(requester, ref)
    if (upload.state !== "DONE") return yield* error
    if (offset === upload.received && isEmpty) return upload
    const headers = { "upload-complete": "?1", "upload-offset": String(upload.received) }
    return yield* respondProblem(completed, DraftTypes.completed, {}, headers)
  })

  /** Returns the headers that describe an upload in the answer to `HEAD` and `GET`. */
  const describe = (requester: Requester, upload: Upload) =>
    Effect.map(stateOf(requester, upload, upload.state === "DONE"), (state) => ({
      ...state,
      ...(upload.fileId === null ? undefined : { "holdfast-file-id": upload.fileId }),
      "cache-control": "no-store"
    }))

  return {
    create,

    describe,

    head: Effect.fnUntraced(function* (requester: Requester, ref: UploadRef, { headers }: HttpServerRequest) {
      // The draft forbids both, and requires a server to refuse them: a client that sends them expects another method.
      if (headers["upload-offset"] !== undefined || headers["upload-complete"] !== undefined) {
        return yield* InvalidRequest.at("", "HEAD must not have the headers Upload-Offset and Upload-Complete")
      }
      const upload = yield* requests.resume(requester, ref)
      return HttpServerResponse.empty({ status: 204, headers: yield* describe(requester, upload) })
    }),

    patch: Effect.fnUntraced(
      function* (requester: Requester, ref: UploadRef, request: HttpServerRequest) {
        if (typeOf(request) !== mediaType) return yield* new UnsupportedMediaType({ expected: mediaType })
        const offset = UploadFields.offset(request.headers)
        const isLast = UploadFields.complete(request.headers)
        if (offset === undefined || isLast === undefined) {
          return yield* InvalidRequest.at("", "the headers Upload-Offset and Upload-Complete are required")
        }
        const length = yield* lengthOf(request, offset, isLast)
        const checksum = yield* checksumOf(request)
        const onStored = ({ received }: Upload) =>
          void InterimResponse.resumptionSupported(request, { "upload-offset": String(received) })
        const isEmpty = isLast && RequestBody.declaredLength(request) === 0
        const upload = yield* requests.append(requester, ref, request, { offset, length, checksum, onStored }).pipe(
          Effect.catchTag("InvalidRequest", (error) =>
            endIfLonger(requester, ref, error, offset + (RequestBody.declaredLength(request) ?? 0))
          ),
          Effect.catchTag("ContentTooLarge", endExceeded(requester, ref)),
          Effect.catchTag("NotFound", (error) => repeat(requester, ref, error, offset, isEmpty)),
          Effect.catchTag("OffsetMismatch", (error) =>
            respondProblem(
              error,
              DraftTypes.mismatchingOffset,
              { "expected-offset": error.offset, "provided-offset": offset },
              { "upload-offset": String(error.offset) }
            )
          )
        )
        if (HttpServerResponse.isHttpServerResponse(upload)) return upload
        if (isLast) return respondWithFile(yield* complete(requester, upload, request), upload, 200, {})
        return HttpServerResponse.empty({ status: 204, headers: yield* stateOf(requester, upload, false) })
      },
      (appended, requester, _ref, request) =>
        appended.pipe(
          Effect.tapErrorTag("ContentTooLarge", stateLimit(requester, request)),
          Effect.catchTag("InvalidRequest", respondInvalid(requester))
        )
    )
  }
}
