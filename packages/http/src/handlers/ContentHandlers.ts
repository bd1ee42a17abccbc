/**
 * The API group `contents`: uploads of new files and of new contents for existing files, and links for uploads.
 *
 * The handlers read the request bodies themselves and stream them into the store: no content is ever held in memory as a
 * whole.
 */
import type { Actor } from "@holdfast/core/Actor"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { InvalidRequest } from "@holdfast/core/Errors"
import type { CreateFile, File } from "@holdfast/core/files/File"
import type { FileRef } from "@holdfast/core/files/FileRef"
import type { UploadTerms } from "@holdfast/core/files/links/UploadLink"
import * as UploadLinks from "@holdfast/core/files/links/UploadLinks"
import * as NewFile from "@holdfast/core/files/NewFile"
import { type ReuploadOptions, Uploads, type UploadOptions } from "@holdfast/core/files/Uploads"
import { ShareUse } from "@holdfast/core/files/shares/ShareUse"
import { Settings } from "@holdfast/core/Settings"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { identity } from "effect/Function"
import * as Predicate from "effect/Predicate"
import { Api } from "../contract/Api.ts"
import { CurrentUploadLink } from "../contract/Authentication.ts"
import * as Digests from "../transfer/request/Digests.ts"
import { MinimumRate } from "../transfer/MinimumRate.ts"
import * as EntityTags from "../transfer/request/EntityTags.ts"
import * as UploadFields from "../transfer/request/UploadFields.ts"
import * as MultipartUpload from "../transfer/upload/MultipartUpload.ts"
import * as RequestBody from "../transfer/upload/RequestBody.ts"
import { asActor } from "./support/AsActor.ts"
import * as CreatedResponse from "./support/CreatedResponse.ts"
import * as FileJson from "./support/FileJson.ts"
import * as FileRefs from "./support/FileRefs.ts"
import { IdleTimeout } from "./support/IdleTimeout.ts"
import * as LinkTerms from "./support/LinkTerms.ts"
import * as PublicAddress from "./support/PublicAddress.ts"
import * as DraftHandlers from "./uploads/DraftHandlers.ts"
import * as UploadRequests from "./uploads/UploadRequests.ts"

/** The digest that the request's headers declare for the content, and the conditions for storing it. */
const optionsFromHeaders = ({ headers }: HttpServerRequest): Effect.Effect<ReuploadOptions, InvalidRequest> =>
  Effect.all({ sha256: Digests.declaredSha256(headers), condition: EntityTags.precondition(headers) })

/**
 * The file description from the form's part `body`. If it has no name, it gets the file name of the part `file`. The parser of
 * forms replaces bytes that are not UTF-8 by U+FFFD; such a name is refused, because the client did not send it.
 */
const withDefaultName = (
  description: unknown,
  filename: string | undefined
): Effect.Effect<unknown, InvalidRequest> => {
  const isNamed = description !== undefined && !(Predicate.isObject(description) && !("name" in description))
  if (filename === undefined || isNamed) return Effect.succeed(description)
  return filename.includes("\ufffd")
    ? Effect.fail(InvalidRequest.at("/name", "must be UTF-8 in the file name of the part file"))
    : Effect.succeed({ ...description, name: filename })
}

/** Bytes: with a smaller body, all of it has mostly arrived with the head of the request. */
const largeBody = 64 * 1024

/**
 * Whether a conflict of names is looked up before the body is read. For a small body the commit finds it as early, without a statement
 * more. A client that waits for `100 Continue` has not sent its body.
 */
const checksPlace = (request: HttpServerRequest, onConflict: NewFile.OnConflict): boolean =>
  onConflict === "replace" ||
  request.headers["expect"] !== undefined ||
  (RequestBody.declaredLength(request) ?? Infinity) > largeBody

/** The parameters of an upload in its query. A form may have name and path in its part `body` instead. */
interface Query {
  readonly name?: string | undefined
  readonly path?: string | undefined
  readonly onConflict?: NewFile.OnConflict | undefined
}

/** A request for an upload, with the terms of its link if it has one. */
interface Upload {
  readonly request: HttpServerRequest
  readonly bucket: BucketRef
  readonly query: Query
  readonly onConflict: NewFile.OnConflict
  readonly terms: UploadTerms | undefined
}

/** Returns the description of the file: what the query and the form say, and what the link determines. */
const describe = ({ query, terms }: Upload, inForm: unknown): Effect.Effect<unknown, InvalidRequest> => {
  const { name, onConflict, path } = query
  const inQuery = { ...(name === undefined ? undefined : { name }), ...(path === undefined ? undefined : { path }) }
  const description = Predicate.isObject(inForm) ? { ...inQuery, ...inForm } : inForm === undefined ? inQuery : inForm
  if (terms === undefined) return Effect.succeed(description)
  return LinkTerms.applyTo(terms, Predicate.isObject(description) ? { onConflict, ...description } : description)
}

/** Returns the options of an upload whose description is known before the content is read. */
const knownOptions = ({ onConflict, request }: Upload, { name, path = "/" }: CreateFile) => ({
  name,
  path,
  place: checksPlace(request, onConflict) ? { name, path } : undefined
})

/**
 * Whether the client may resume the upload. A form arrives in one request; so does a content with a declared digest, whose bytes are
 * compared before they become a file.
 */
const isResumable = (request: HttpServerRequest): boolean =>
  UploadFields.complete(request.headers) !== undefined &&
  !RequestBody.isForm(request) &&
  request.headers["repr-digest"] === undefined

export const layer = HttpApiBuilder.group(
  Api,
  "contents",
  Effect.fnUntraced(function* (handlers) {
    const uploads = yield* Uploads
    const links = yield* UploadLinks.UploadLinks
    const draft = DraftHandlers.make(yield* UploadRequests.make)
    const shares = yield* ShareUse
    const apiUrl = yield* PublicAddress.makeApiUrl
    const { maxUploadBytes } = yield* Settings
    const limits = { limit: maxUploadBytes, idleTimeout: yield* IdleTimeout, minimumRate: yield* MinimumRate }
    const limitsWithin = (terms: UploadTerms | undefined) =>
      terms === undefined ? limits : { ...limits, limit: Math.min(maxUploadBytes, terms.maxBytes) }

    const optionsOf = ({ onConflict, request, terms }: Upload): Effect.Effect<UploadOptions, InvalidRequest> =>
      Effect.map(optionsFromHeaders(request), (options) => ({ ...options, onConflict, linkRules: terms }))

    const uploadForm = (actor: Actor, upload: Upload) =>
      Effect.gen(function* () {
        const { bucket, request, terms } = upload
        const options = yield* optionsOf(upload)
        const { body, file, isBodyKnown } = yield* MultipartUpload.parse(request, limitsWithin(terms))
        const description = body.pipe(
          Effect.flatMap((value) => describe(upload, value)),
          Effect.flatMap((value) => withDefaultName(value, file.filename))
        )
        // A description that precedes the file is validated before the file's bytes are read.
        const known = isBodyKnown ? yield* Effect.flatMap(description, NewFile.decode) : undefined
        const sha256OfPart = yield* Digests.declaredSha256(file.headers)
        return yield* uploads.upload(actor, bucket, file.stream, description, {
          ...options,
          // The query states the path for a form whose description follows the file.
          ...(known === undefined ? { path: terms?.path ?? upload.query.path } : knownOptions(upload, known)),
          sha256: sha256OfPart ?? options.sha256,
          contentType: file.contentType
        })
      }).pipe(Effect.scoped)

    const uploadBytes = (actor: Actor, upload: Upload) =>
      Effect.gen(function* () {
        const { bucket, request, terms } = upload
        const options = yield* optionsOf(upload)
        const known = yield* Effect.flatMap(describe(upload, {}), NewFile.decode)
        const content = yield* RequestBody.openContent(request, limitsWithin(terms))
        return yield* uploads.upload(actor, bucket, content, Effect.succeed(known), {
          ...options,
          ...knownOptions(upload, known),
          length: RequestBody.declaredLength(request),
          contentType: request.headers["content-type"]
        })
      })

    /** Uploads by a form; without one where `takesBytes` is true for the request. */
    const upload = (
      request: HttpServerRequest,
      bucket: BucketRef,
      query: Query,
      takesBytes: (terms: UploadTerms | undefined) => boolean
    ) =>
      Effect.gen(function* () {
        const link = yield* CurrentUploadLink
        const terms = link?.terms
        const onConflict = terms?.onConflict ?? query.onConflict ?? "fail"
        const asked: Upload = { request, bucket, query, onConflict, terms }
        const counted =
          link?.parent._tag === "Share"
            ? shares.countUpload(link.parent.shareId, RequestBody.declaredLength(request))
            : identity
        const file = yield* takesBytes(terms)
          ? asActor((actor) => counted(uploadBytes(actor, asked)))
          : asActor((actor) => counted(uploadForm(actor, asked)))
        const path = [...FileRefs.filesPath(bucket), file.id]
        const shown = terms === undefined ? file : LinkTerms.withoutDescription(file)
        if (file.version === 1) return yield* CreatedResponse.withLocation(shown, ...path)
        const location = yield* CreatedResponse.locationOf(path)
        return HttpServerResponse.setHeader(FileJson.respondWithFile(shown), "location", location)
      })

    const reupload = (request: HttpServerRequest, file: FileRef) =>
      asActor((actor) =>
        Effect.gen(function* () {
          const options = yield* optionsFromHeaders(request)
          const content = yield* RequestBody.openContent(request, limits)
          return yield* uploads.reupload(actor, file, content, {
            ...options,
            length: RequestBody.declaredLength(request),
            contentType: request.headers["content-type"]
          })
        })
      )

    /** Uploads by the draft "Resumable Uploads for HTTP": the answer is that of any upload, and the client may resume meanwhile. */
    const uploadResumably = (request: HttpServerRequest, bucket: BucketRef, query: Query) =>
      Effect.flatMap(UploadRequests.requester, (requester) => {
        const completedAt = (file: File) => CreatedResponse.locationOf([...FileRefs.filesPath(bucket), file.id])
        return asActor(() => draft.create(requester, bucket, request, query, completedAt))
      })

    return handlers
      .handle("uploadUrl", ({ params, payload }) =>
        Effect.zipWith(
          asActor((actor) => links.create(actor, params, payload)),
          apiUrl,
          (link, base) => ({ url: `${base}${UploadLinks.pathOf(link)}`, expiresAt: link.expiresAt })
        )
      )
      .handleRaw("upload", ({ params, query, request }) =>
        isResumable(request)
          ? uploadResumably(request, params, query)
          : upload(request, params, query, (terms) => terms !== undefined && !RequestBody.isForm(request))
      )
      .handleRaw("put", ({ params, query, request }) =>
        isResumable(request) ? uploadResumably(request, params, query) : upload(request, params, query, () => true)
      )
      .handleRaw("reupload", ({ params, request }) => reupload(request, FileRefs.fromParams(params)))
  })
)
