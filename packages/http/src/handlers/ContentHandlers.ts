/**
 * The API group `contents`: uploads of new files and of new contents for existing files, and links for uploads.
 *
 * The handlers read the request bodies themselves and stream them into the store: no content is ever held in memory as a
 * whole.
 */
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { File } from "@holdfast/core/files/File"
import type { FileRef } from "@holdfast/core/files/FileRef"
import type { UploadTerms } from "@holdfast/core/files/links/UploadLink"
import * as UploadLinks from "@holdfast/core/files/links/UploadLinks"
import { ShareUse } from "@holdfast/core/files/shares/ShareUse"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { identity } from "effect/Function"
import { Api } from "../contract/Api.ts"
import { CurrentUploadLink } from "../contract/Authentication.ts"
import * as UploadFields from "../transfer/request/UploadFields.ts"
import * as RequestBody from "../transfer/upload/RequestBody.ts"
import * as UploadBody from "../transfer/upload/UploadBody.ts"
import { asActor } from "./support/AsActor.ts"
import * as CreatedResponse from "./support/CreatedResponse.ts"
import * as FileJson from "./support/FileJson.ts"
import * as FileRefs from "./support/FileRefs.ts"
import * as LinkTerms from "./support/LinkTerms.ts"
import * as PublicAddress from "./support/PublicAddress.ts"
import * as DraftHandlers from "./uploads/DraftHandlers.ts"
import * as StoreContent from "./uploads/StoreContent.ts"
import * as UploadRequests from "./uploads/UploadRequests.ts"

/**
 * Whether the client may resume the upload. A form arrives in one request; so does a content with a declared digest, whose bytes are
 * compared before they become a file.
 */
const isResumable = (request: HttpServerRequest): boolean =>
  UploadFields.complete(request.headers) !== undefined &&
  !RequestBody.isForm(request) &&
  request.headers["repr-digest"] === undefined

/** Answers a browser that has sent a form: it shows the page, by GET. The creator of the link chose the page, and signed it. */
const redirect = (page: string, fileId: string): HttpServerResponse.HttpServerResponse => {
  const url = new URL(page)
  url.searchParams.set("fileId", fileId)
  return HttpServerResponse.redirect(url, { status: 303 })
}

export const layer = HttpApiBuilder.group(
  Api,
  "contents",
  Effect.fnUntraced(function* (handlers) {
    const store = yield* StoreContent.make
    const links = yield* UploadLinks.UploadLinks
    const draft = DraftHandlers.make(yield* UploadRequests.make)
    const shares = yield* ShareUse
    const apiUrl = yield* PublicAddress.makeApiUrl
    /** Uploads by a form; without one where `takesBytes` is true for the request. */
    const upload = Effect.fnUntraced(function* (
      request: HttpServerRequest,
      bucket: BucketRef,
      query: StoreContent.Query,
      takesBytes: (terms: UploadTerms | undefined) => boolean
    ) {
      const link = yield* CurrentUploadLink
      const terms = link?.terms
      const onConflict = terms?.onConflict ?? query.onConflict ?? "fail"
      const body = UploadBody.fromRequest(request)
      const asked: StoreContent.NewUpload = { body, bucket, query, onConflict, terms }
      const counted =
        link?.parent._tag === "Share"
          ? shares.countUpload(link.parent.shareId, RequestBody.declaredLength(request))
          : identity
      const isForm = !takesBytes(terms)
      const file = yield* isForm
        ? asActor((actor) => counted(store.form(actor, asked)))
        : asActor((actor) => counted(store.bytes(actor, asked)))
      if (isForm && typeof terms?.redirectTo === "string") return redirect(terms.redirectTo, file.id)
      const path = [...FileRefs.filesPath(bucket), file.id]
      const shown = terms === undefined ? file : LinkTerms.withoutDescription(file)
      if (file.version === 1) return yield* CreatedResponse.withLocation(shown, ...path)
      const location = yield* CreatedResponse.locationOf(path)
      return HttpServerResponse.setHeader(FileJson.respondWithFile(shown), "location", location)
    })

    const reupload = (request: HttpServerRequest, file: FileRef) =>
      asActor((actor) => store.replace(actor, file, UploadBody.fromRequest(request)))

    /** Uploads by the draft "Resumable Uploads for HTTP": the answer is that of any upload, and the client may resume meanwhile. */
    const uploadResumably = (request: HttpServerRequest, bucket: BucketRef, query: StoreContent.Query) =>
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
