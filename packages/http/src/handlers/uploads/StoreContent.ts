/**
 * Stores the content of a request: as a new file, by a form or without one, or as the new content of a file. The routes do so while
 * the content arrives, and `DirectUploads` when it has arrived.
 */
import type { Actor } from "@holdfast/core/Actor"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { InvalidRequest } from "@holdfast/core/Errors"
import type { CreateFile } from "@holdfast/core/files/File"
import type { FileRef } from "@holdfast/core/files/FileRef"
import type { UploadTerms } from "@holdfast/core/files/links/UploadLink"
import * as NewFile from "@holdfast/core/files/NewFile"
import { type ReuploadOptions, Uploads, type UploadOptions } from "@holdfast/core/files/Uploads"
import { Settings } from "@holdfast/core/Settings"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { MinimumRate } from "../../transfer/MinimumRate.ts"
import * as Digests from "../../transfer/request/Digests.ts"
import * as EntityTags from "../../transfer/request/EntityTags.ts"
import * as RequestBody from "../../transfer/upload/RequestBody.ts"
import type { UploadBody } from "../../transfer/upload/UploadBody.ts"
import { IdleTimeout } from "../support/IdleTimeout.ts"
import * as LinkTerms from "../support/LinkTerms.ts"

/** The digest that the request's headers declare for the content, and the conditions for storing it. */
const optionsFromHeaders = (headers: EntityTags.RequestHeaders): Effect.Effect<ReuploadOptions, InvalidRequest> =>
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
const checksPlace = ({ headers }: UploadBody, onConflict: NewFile.OnConflict): boolean =>
  onConflict === "replace" ||
  headers["expect"] !== undefined ||
  (RequestBody.declaredLength({ headers }) ?? Infinity) > largeBody

/** The parameters of an upload in its query. A form may have name and path in its part `body` instead. */
export interface Query {
  readonly name?: string | undefined
  readonly path?: string | undefined
  readonly onConflict?: NewFile.OnConflict | undefined
}

/** A request for a new file, with the terms of its link if it has one. */
export interface NewUpload {
  readonly body: UploadBody
  readonly bucket: BucketRef
  readonly query: Query
  readonly onConflict: NewFile.OnConflict
  readonly terms: UploadTerms | undefined
}

/** Returns the description of the file: what the query and the form say, and what the link determines. */
const describe = ({ query, terms }: NewUpload, inForm: unknown): Effect.Effect<unknown, InvalidRequest> => {
  const { name, onConflict, path } = query
  const inQuery = { ...(name === undefined ? undefined : { name }), ...(path === undefined ? undefined : { path }) }
  const description = Predicate.isObject(inForm) ? { ...inQuery, ...inForm } : inForm === undefined ? inQuery : inForm
  if (terms === undefined) return Effect.succeed(description)
  return LinkTerms.applyTo(terms, Predicate.isObject(description) ? { onConflict, ...description } : description)
}

/** Returns the options of an upload whose description is known before the content is read. */
const knownOptions = ({ body, onConflict }: NewUpload, { name, path = "/" }: CreateFile) => ({
  name,
  path,
  place: checksPlace(body, onConflict) ? { name, path } : undefined
})

/** Makes the functions that store a content. */
export const make = Effect.gen(function* () {
  const uploads = yield* Uploads
  const { maxUploadBytes } = yield* Settings
  const limits = { limit: maxUploadBytes, idleTimeout: yield* IdleTimeout, minimumRate: yield* MinimumRate }
  const limitsWithin = (terms: UploadTerms | undefined) =>
    terms === undefined ? limits : { ...limits, limit: Math.min(maxUploadBytes, terms.maxBytes) }

  const optionsOf = ({ body, onConflict, terms }: NewUpload): Effect.Effect<UploadOptions, InvalidRequest> =>
    Effect.map(optionsFromHeaders(body.headers), (options) => ({ ...options, onConflict, linkRules: terms }))

  return {
    limits,

    /** Stores the file of a form. */
    form: Effect.fnUntraced(function* (actor: Actor, upload: NewUpload) {
      const { bucket, terms } = upload
      const options = yield* optionsOf(upload)
      const { body, file, isBodyKnown } = yield* upload.body.openForm(limitsWithin(terms))
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
    }, Effect.scoped),

    /** Stores the body as a new file. */
    bytes: Effect.fnUntraced(function* (actor: Actor, upload: NewUpload) {
      const { body, bucket, terms } = upload
      const options = yield* optionsOf(upload)
      const known = yield* Effect.flatMap(describe(upload, {}), NewFile.decode)
      const content = yield* body.openContent(limitsWithin(terms))
      return yield* uploads.upload(actor, bucket, content, Effect.succeed(known), {
        ...options,
        ...knownOptions(upload, known),
        length: RequestBody.declaredLength(body),
        contentType: body.headers["content-type"]
      })
    }),

    /** Stores the body as the content of a file. */
    replace: Effect.fnUntraced(function* (actor: Actor, file: FileRef, body: UploadBody) {
      const options = yield* optionsFromHeaders(body.headers)
      const content = yield* body.openContent(limits)
      return yield* uploads.reupload(actor, file, content, {
        ...options,
        length: RequestBody.declaredLength(body),
        contentType: body.headers["content-type"]
      })
    })
  }
})
