/**
 * The API group `uploads`: decides which protocol a request has, and lists uploads.
 */
import { InvalidRequest } from "@holdfast/core/Errors"
import { ResumableUploads } from "@holdfast/core/uploads/ResumableUploads"
import type { Upload } from "@holdfast/core/uploads/Upload"
import type { UploadRef } from "@holdfast/core/uploads/UploadRepository"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Api } from "../../contract/Api.ts"
import { TusVersion, UploadRecord } from "../../contract/files/UploadsApi.ts"
import * as CommonHeaders from "../../problems/CommonHeaders.ts"
import * as ProblemResponse from "../../problems/ProblemResponse.ts"
import { asActor } from "../support/AsActor.ts"
import * as UploadFields from "../../transfer/request/UploadFields.ts"
import * as DraftHandlers from "./DraftHandlers.ts"
import * as TusHandlers from "./TusHandlers.ts"
import * as UploadRequests from "./UploadRequests.ts"

const toRecord = (upload: Upload): UploadRecord => {
  const { contentType, description } = upload.terms
  const { contentType: _, ...record } = {
    ...upload,
    contentType,
    state: upload.state === "DONE" ? ("DONE" as const) : ("OPEN" as const)
  }
  return { ...record, name: description.name, path: description.path ?? "/", contentType }
}

const encodeRecord = Schema.encodeSync(UploadRecord)

const noProtocol = InvalidRequest.at(
  "",
  "one of the headers Tus-Resumable (1.0.0) and Upload-Complete (?0 or ?1) is required: it says which protocol the request has"
)

export const layer = HttpApiBuilder.group(
  Api,
  "uploads",
  Effect.fnUntraced(function* (handlers) {
    const uploads = yield* ResumableUploads
    const requests = yield* UploadRequests.make
    const tus = TusHandlers.make(requests)
    const draft = DraftHandlers.make(requests)

    /** Runs a request as its requester, with problems instead of errors. */
    const run = <A, E extends ProblemResponse.CodedError, R>(
      handle: (requester: UploadRequests.Requester) => Effect.Effect<A, E, R>
    ) =>
      Effect.flatMap(UploadRequests.requester, (requester) =>
        Effect.catch(handle(requester), (error) => ProblemResponse.fail<E["code"]>(error))
      )

    const get = (_request: HttpServerRequest.HttpServerRequest, ref: UploadRef) =>
      run(
        Effect.fnUntraced(function* (requester) {
          const upload = yield* requests.get(requester, ref)
          return HttpServerResponse.jsonUnsafe(encodeRecord(toRecord(upload)), {
            headers: yield* draft.describe(requester, upload)
          })
        })
      )
    const head = (request: HttpServerRequest.HttpServerRequest, ref: UploadRef) =>
      run(
        Effect.fnUntraced(function* (requester) {
          return yield* TusHandlers.isTus(request) ? tus.head(requester, ref) : draft.head(requester, ref, request)
        })
      )
    const append = (request: HttpServerRequest.HttpServerRequest, ref: UploadRef) =>
      run(
        Effect.fnUntraced(function* (requester) {
          return yield* TusHandlers.isTus(request)
            ? tus.patch(requester, ref, request)
            : draft.patch(requester, ref, request)
        })
      )
    const remove = (_request: HttpServerRequest.HttpServerRequest, ref: UploadRef) =>
      run((requester) => tus.remove(requester, ref))

    const methods = { HEAD: head, PATCH: append, DELETE: remove }
    const isMethod = (name: string): name is keyof typeof methods => Object.hasOwn(methods, name)

    return handlers
      .handle("list", ({ params, query }) =>
        Effect.map(
          asActor((actor) => uploads.list(actor, params, query)),
          ({ items, nextCursor }) => ({ items: items.map(toRecord), nextCursor })
        )
      )
      .handleRaw("create", ({ params, query, request }) =>
        run(
          Effect.fnUntraced(function* (requester) {
            if (TusHandlers.isTus(request)) return yield* tus.create(requester, params, request, query)
            if (UploadFields.complete(request.headers) === undefined) return yield* noProtocol
            return yield* draft.create(requester, params, request, query, (_file, path) => Effect.succeed(path))
          })
        )
      )
      .handleRaw("get", ({ params, request }) =>
        request.method === "HEAD" ? head(request, params) : get(request, params)
      )
      .handleRaw("append", ({ params, request }) => append(request, params))
      .handleRaw("override", ({ params, request }) => {
        const method = request.headers["x-http-method-override"]?.toUpperCase() ?? ""
        return isMethod(method)
          ? methods[method](request, params)
          : run(() => InvalidRequest.at("", "the header X-HTTP-Method-Override must be HEAD, PATCH or DELETE"))
      })
      .handleRaw("remove", ({ params, request }) => remove(request, params))
  })
)

const unsupported = {
  code: "tus_version_unsupported",
  message: `The header Tus-Resumable must be ${TusHandlers.version}.`
} as const

/** Answers `412` to other versions of tus. */
export const layerVersion: Layer.Layer<TusVersion> = Layer.succeed(
  TusVersion,
  TusVersion.of(
    Effect.fnUntraced(function* (route) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const asked = request.headers["tus-resumable"]
      if (asked === undefined) return yield* route
      CommonHeaders.register(request, { "tus-resumable": TusHandlers.version })
      if (asked === TusHandlers.version) return yield* route
      CommonHeaders.register(request, { "tus-version": TusHandlers.version })
      return yield* ProblemResponse.fail(unsupported)
    })
  )
)
