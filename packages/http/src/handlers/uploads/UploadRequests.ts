/**
 * What both protocols of resumable uploads do: creating, continuing and completing an upload on behalf of an actor, or of the holder of
 * an upload link or share.
 */
import { CurrentRequest } from "@holdfast/core/access/CurrentRequest"
import type { Actor } from "@holdfast/core/Actor"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { type InvalidRequest, NotFound } from "@holdfast/core/Errors"
import type { OnConflict } from "@holdfast/core/files/NewFile"
import type { UploadGrant } from "@holdfast/core/files/links/UploadLink"
import { Settings } from "@holdfast/core/Settings"
import { type AppendOptions, type NewUpload, ResumableUploads } from "@holdfast/core/uploads/ResumableUploads"
import type { Upload } from "@holdfast/core/uploads/Upload"
import type { UploadRef } from "@holdfast/core/uploads/UploadRepository"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { createHash } from "node:crypto"
import { CurrentActor, CurrentUploadLink } from "../../contract/Authentication.ts"
import * as AddressGroup from "../../incoming/AddressGroup.ts"
import { MinimumRate } from "../../transfer/MinimumRate.ts"
import * as EntityTags from "../../transfer/request/EntityTags.ts"
import * as TusHeaders from "../../transfer/request/TusHeaders.ts"
import * as BodyDigest from "../../transfer/upload/BodyDigest.ts"
import * as RequestBody from "../../transfer/upload/RequestBody.ts"
import * as CreatedResponse from "../support/CreatedResponse.ts"
import * as FileRefs from "../support/FileRefs.ts"
import { IdleTimeout } from "../support/IdleTimeout.ts"
import * as LinkTerms from "../support/LinkTerms.ts"

/** Who continues an upload. */
export interface Requester {
  readonly actor: Actor
  /** The upload link or share of the request; undefined for a request with an API key. */
  readonly link: UploadGrant | undefined
}

/** The parameters of a new upload in the query of its request. */
export interface Query {
  readonly name?: string | undefined
  readonly path?: string | undefined
  readonly onConflict?: OnConflict | undefined
}

/** How the body of a request continues an upload. */
export interface BodyOptions extends Pick<AppendOptions, "offset" | "length" | "onStored"> {
  /** The digest that the body must have. */
  readonly checksum?: BodyDigest.Declared | undefined
}

/** The requester that `Authentication` has found. */
export const requester: Effect.Effect<Requester, never, CurrentActor> = Effect.flatMap(CurrentActor, (actor) =>
  Effect.map(CurrentUploadLink, (link) => ({ actor, link }))
)

/**
 * Returns a text that is the same for links of one creator on the same terms: a new link continues the upload of an expired one. A
 * share has one text, although its creator may change its terms and its password.
 */
const fingerprintOf = ({ parent, terms: { contentTypes, maxBytes, name, onConflict, path } }: UploadGrant): string =>
  createHash("sha256")
    .update(
      JSON.stringify(
        parent._tag === "Share"
          ? [{ shareId: parent.shareId, _tag: "Share" }]
          : [parent, path, name, maxBytes, contentTypes, onConflict]
      )
    )
    .digest("base64url")

/** Keys of `Upload-Metadata` that describe the file. All others become its metadata. */
const known: ReadonlySet<string> = new Set(["filename", "name", "filetype", "type", "path", "alias"])

const given = (fields: { readonly [name: string]: unknown }) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ""))

/**
 * Returns the description of a new file. `filename` and `name` are only its default name: clients of tus add them by themselves, and a
 * link may determine another one.
 */
const describeFile = (
  pairs: ReadonlyMap<string, string>,
  { name, onConflict, path }: Query,
  link: UploadGrant | undefined
): Effect.Effect<object, InvalidRequest> => {
  const metadata = Object.fromEntries([...pairs].filter(([key]) => !known.has(key)))
  const explicit = given({
    name,
    path: pairs.get("path") ?? path,
    alias: pairs.get("alias"),
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata
  })
  const described: Effect.Effect<unknown, InvalidRequest> =
    link === undefined ? Effect.succeed(explicit) : LinkTerms.applyTo(link.terms, given({ onConflict, ...explicit }))
  return Effect.map(described, (description) => ({
    ...given({ name: pairs.get("filename") || pairs.get("name") }),
    ...(description as object)
  }))
}

/** The path segments of an upload, below the API's base path. */
const segmentsOf = ({ bucketId, tenantId, uploadId }: UploadRef): ReadonlyArray<string> => [
  ...FileRefs.filesPath({ tenantId, bucketId }),
  "uploads",
  uploadId
]

export const refOf = ({ bucketId, id, tenantId }: Upload): UploadRef => ({ tenantId, bucketId, uploadId: id })

/** The path of the uploads of a bucket, below the API's base path. */
export const directoryOf = (bucket: BucketRef): string => `/${[...FileRefs.filesPath(bucket), "uploads"].join("/")}`

/** Returns the path of an upload. */
export const locationOf = (upload: UploadRef): Effect.Effect<string> => CreatedResponse.locationOf(segmentsOf(upload))

export const make = Effect.gen(function* () {
  const uploads = yield* ResumableUploads
  const { maxUploadBytes } = yield* Settings
  const idleTimeout = yield* IdleTimeout
  const minimumRate = yield* MinimumRate

  /** The largest content that a request may upload. The bucket may accept less. */
  const maxBytes = (link: UploadGrant | undefined) => Math.min(maxUploadBytes, link?.terms.maxBytes ?? Infinity)

  /** Finds an upload. A link, if the request has one, must be such as the one that permitted the upload. */
  const get = Effect.fnUntraced(function* ({ actor, link }: Requester, ref: UploadRef) {
    const upload = yield* uploads.get(actor, ref)
    if (link !== undefined && upload.terms.link !== fingerprintOf(link)) {
      return yield* new NotFound({ resource: "upload" })
    }
    return upload
  })

  const checkLink = (requester: Requester, ref: UploadRef) =>
    requester.link === undefined ? Effect.void : get(requester, ref)

  const append = Effect.fnUntraced(function* (
    { actor, link }: Requester,
    ref: UploadRef,
    request: HttpServerRequest,
    { checksum, ...options }: BodyOptions
  ) {
    const body = yield* RequestBody.open(request, { limit: maxBytes(link), idleTimeout, minimumRate })
    const digest = checksum === undefined ? undefined : BodyDigest.make(checksum)
    return yield* uploads.append(actor, ref, digest === undefined ? body : digest.reading(body), {
      ...options,
      contentLength: RequestBody.declaredLength(request),
      verify: digest?.verify
    })
  })

  return {
    maxBytes,

    get,

    create: Effect.fnUntraced(function* (
      { actor, link }: Requester,
      { bucketId, tenantId }: BucketRef,
      request: HttpServerRequest,
      query: Query,
      options: Pick<NewUpload, "isPartial" | "length" | "notes" | "partials"> & {
        readonly defaultType?: string | undefined
      }
    ) {
      const { defaultType, ...others } = options
      const pairs = yield* TusHeaders.metadata(request.headers)
      const description = yield* describeFile(pairs, query, link)
      const header = request.headers["upload-metadata"]
      const { clientAddress } = yield* CurrentRequest
      const client = clientAddress === undefined ? undefined : AddressGroup.of(clientAddress)
      return yield* uploads.create(actor, { tenantId, bucketId }, description, {
        ...others,
        ...(header === undefined ? undefined : { notes: { ...options.notes, "upload-metadata": header } }),
        contentType: pairs.get("filetype") || pairs.get("type") || defaultType,
        condition: yield* EntityTags.precondition(request.headers),
        onConflict: link?.terms.onConflict ?? query.onConflict,
        ...(link === undefined ? undefined : { linkRules: link.terms, link: fingerprintOf(link), client })
      })
    }),

    append: (requester: Requester, ref: UploadRef, request: HttpServerRequest, options: BodyOptions) =>
      Effect.andThen(checkLink(requester, ref), append(requester, ref, request, options)),

    /** As `append`, to an upload that the same request has created. */
    appendFirst: append,

    /** Completes an upload that no request has continued since `upload` was read. */
    complete: ({ actor, link }: Requester, upload: Upload) => {
      const complete = uploads.complete(actor, refOf(upload), { received: upload.received })
      return Effect.map(complete, (file) => (link === undefined ? file : LinkTerms.withoutDescription(file)))
    },

    resume: (requester: Requester, ref: UploadRef) =>
      Effect.andThen(checkLink(requester, ref), uploads.resume(requester.actor, ref)),

    abort: (requester: Requester, ref: UploadRef) =>
      Effect.andThen(checkLink(requester, ref), uploads.abort(requester.actor, ref))
  }
})

export type UploadRequests = Effect.Success<typeof make>
