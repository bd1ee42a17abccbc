/**
 * Uploads in parts: contents that arrive in several requests.
 *
 * Each part is a blob of its own, durable when its request is answered. The completion makes the parts the content of a file in one
 * short transaction, without reading or copying a byte. An upload that receives nothing for `Settings.uploadExpiry` is removed.
 *
 * Protocols call this service in one of two ways (`UploadMode`): with `append` where the client continues at an offset, with `putPart`
 * where it numbers the parts.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import type { Digest } from "effect/crypto/Digest"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import { Access, type AccessError, folderOf } from "../access/Access.ts"
import type { Actor } from "../Actor.ts"
import type { BucketRef } from "../buckets/BucketRef.ts"
import { BucketRepository } from "../buckets/BucketRepository.ts"
import type { ContentRules, TypeNotAllowed } from "../buckets/ContentRules.ts"
import { type InvalidCursor, InvalidRequest, NotFound, type PreconditionFailed, type QuotaExceeded } from "../Errors.ts"
import * as ContentGuard from "../files/ContentGuard.ts"
import type * as File from "../files/File.ts"
import {
  type AliasTaken,
  type ChecksumMismatch,
  type ContentTooLarge,
  type FileExists,
  type LengthMismatch,
  type UploadExpired
} from "../files/FileErrors.ts"
import type { FileRepository } from "../files/FileRepository.ts"
import type { FileWriter } from "../files/FileWriter.ts"
import { checkBucketId } from "../files/internal/FileLookup.ts"
import type { ChangeRefused, HookFailed } from "../files/hooks/HookErrors.ts"
import * as MediaTypes from "../files/internal/MediaTypes.ts"
import type { ShareExhausted } from "../files/shares/Share.ts"
import * as Ids from "../Ids.ts"
import type { MetadataError } from "../MetadataError.ts"
import * as Page from "../Page.ts"
import { Settings } from "../Settings.ts"
import type { BlobError } from "../storage/BlobError.ts"
import type { BlobRepository } from "../storage/BlobRepository.ts"
import type { BlobStore } from "../storage/BlobStore.ts"
import * as AppendUpload from "./internal/AppendUpload.ts"
import * as Appends from "./internal/Appends.ts"
import * as CompleteUpload from "./internal/CompleteUpload.ts"
import * as CreateUpload from "./internal/CreateUpload.ts"
import * as PartWriter from "./internal/PartWriter.ts"
import { maxParts, type StoredUpload, type Upload, type UploadPart } from "./Upload.ts"
import { type OffsetMismatch, takesNoBytes, type UploadIncomplete, type UploadSuperseded } from "./UploadErrors.ts"
import { type UploadRef, UploadRepository } from "./UploadRepository.ts"
import * as Traced from "../files/internal/Traced.ts"

export type { AppendOptions } from "./internal/AppendUpload.ts"
export { maxOfLink, maxOpenUploads, type NewUpload } from "./internal/CreateUpload.ts"

type PartError =
  | AccessError
  | BlobError
  | ChecksumMismatch
  | ContentTooLarge
  | InvalidRequest
  | LengthMismatch
  | MetadataError
  | NotFound
  | QuotaExceeded
  | ShareExhausted
  | TypeNotAllowed
  | UploadExpired
  | UploadSuperseded

/** Attempts of a completion while parts are still being added. */
const maxAttempts = 3

export class ResumableUploads extends Context.Service<
  ResumableUploads,
  {
    /**
     * Creates an upload for a file of this description (`CreateFile`). Checks what the completion will check, as far as it is known:
     * permission, limits, conflicts and the precondition. Fails with `QuotaExceeded` for more than `maxOpenUploads` of a tenant. The
     * holder of a share creates an upload within its caps, which count the upload from then on.
     */
    readonly create: (
      actor: Actor,
      bucket: BucketRef,
      description: unknown,
      options?: CreateUpload.NewUpload
    ) => Effect.Effect<
      Upload,
      | AccessError
      | ContentTooLarge
      | FileExists
      | InvalidRequest
      | MetadataError
      | NotFound
      | PreconditionFailed
      | QuotaExceeded
      | ShareExhausted
      | TypeNotAllowed
      | UploadIncomplete
    >

    /** Returns an upload. Fails with `NotFound` when there is none, or it was aborted or has expired. */
    readonly get: (actor: Actor, upload: UploadRef) => Effect.Effect<Upload, AccessError | NotFound>

    /**
     * Prepares to continue an upload: ends a request that still appends to it, stores what it has sent, and returns the upload. Its
     * `received` is the offset of the next append. The former request fails with `UploadSuperseded` if it sends more.
     */
    readonly resume: (actor: Actor, upload: UploadRef) => Effect.Effect<Upload, AccessError | NotFound>

    /** Lists the open uploads of a bucket, by their ids. */
    readonly list: (
      actor: Actor,
      bucket: BucketRef,
      request?: Page.Request
    ) => Effect.Effect<Page.Page<Upload>, AccessError | InvalidCursor | InvalidRequest | NotFound>

    /**
     * Appends bytes. Where the content fails or the fiber is interrupted, as it is when a connection is cut, the bytes that have
     * arrived are stored, and the error of the content passes through. Fails with `OffsetMismatch` unless the upload ends at
     * `offset`. Ends a former append to the same upload. Returns the upload afterwards; it is not completed yet.
     */
    readonly append: <E, R>(
      actor: Actor,
      upload: UploadRef,
      content: Stream.Stream<Uint8Array, E, R>,
      options: AppendUpload.AppendOptions
    ) => Effect.Effect<Upload, E | OffsetMismatch | PartError, R>

    /**
     * Stores a numbered part. Several may be stored at a time, in any order. A part that has been sent before is replaced; of two
     * that arrive at once the last one to finish counts. A part that fails changes nothing.
     */
    readonly putPart: <E, R>(
      actor: Actor,
      upload: UploadRef,
      content: Stream.Stream<Uint8Array, E, R>,
      options: PartWriter.PartOptions
    ) => Effect.Effect<UploadPart, E | PartError, R>

    /** Lists the parts of an open upload after a number, at most 1,000. */
    readonly listParts: (
      actor: Actor,
      upload: UploadRef,
      options?: { readonly after?: number | undefined; readonly limit?: number | undefined }
    ) => Effect.Effect<ReadonlyArray<UploadPart>, AccessError | NotFound>

    /**
     * Makes the parts the content of the file, in one short transaction. Checks permission, limits, conflicts and precondition again.
     * A repeated call, also one at the same time, returns the same file until the upload expires. The SHA-256 of a content of several
     * parts is computed in the background; until then the `checksum` of the file is null.
     */
    readonly complete: (
      actor: Actor,
      upload: UploadRef,
      options?: CompleteUpload.CompleteOptions
    ) => Effect.Effect<
      File.File,
      | AliasTaken
      | ChangeRefused
      | HookFailed
      | FileExists
      | PartError
      | PreconditionFailed
      | TypeNotAllowed
      | UploadIncomplete
    >

    /** Ends an open upload, and removes its parts. Partial uploads that it names stay open. */
    readonly abort: (actor: Actor, upload: UploadRef) => Effect.Effect<void, AccessError | NotFound>
  }
>()("@holdfast/core/uploads/ResumableUploads") {}

const missing = new NotFound({ resource: "upload" })
const noBucket = new NotFound({ resource: "bucket" })

/** Returns about how many bytes an upload has in a list: metadata and headers of its file take most of them. */
const sizeOf = ({ terms }: StoredUpload): number => JSON.stringify(terms).length

const toUpload = ({
  answer,
  blobId: _blobId,
  client: _client,
  epoch: _epoch,
  replacedFileId: _replacedFileId,
  revision: _revision,
  ...upload
}: StoredUpload): Upload => ({ ...upload, fileId: CompleteUpload.fileIdOf(answer) })

const make = Effect.gen(function* () {
  const access = yield* Access
  const buckets = yield* BucketRepository
  const uploads = yield* UploadRepository
  const settings = yield* Settings
  const storePart = yield* PartWriter.make
  const completeOnce = yield* CompleteUpload.make(storePart)
  const appends = Appends.make()
  const append = yield* AppendUpload.make(storePart, appends)

  const limitOf = ({ terms }: Pick<Upload, "terms">, rules: ContentRules) =>
    MediaTypes.limitOf(rules, terms.linkRules ?? undefined, settings.maxUploadBytes)

  const checkId = ({ bucketId, uploadId }: UploadRef) =>
    Ids.is("bkt", bucketId) && Ids.is("upl", uploadId) ? Effect.void : Effect.fail(missing)

  /** Finds an upload for an actor who may write its file, in any state. */
  const find = Effect.fnUntraced(function* (actor: Actor, ref: UploadRef) {
    const identity = yield* access.require(actor, ref, "file:write")
    yield* checkId(ref)
    const found = yield* NotFound.whenNone(uploads.find(ref), missing)
    const now = yield* DateTime.now
    const { upload } = found
    if (upload.state === "DEAD" || DateTime.toEpochMillis(upload.expiresAt) <= DateTime.toEpochMillis(now)) {
      return yield* missing
    }
    const { path = "/" } = upload.terms.description
    if (folderOf(identity) !== undefined) yield* access.require(actor, { ...ref, path }, "file:write")
    return { ...found, actor, identity }
  })

  const findOpen = (actor: Actor, ref: UploadRef) =>
    Effect.filterOrFail(
      find(actor, ref),
      ({ upload }) => upload.state === "OPEN",
      () => missing
    )

  /** Ends former appends, and fences those of other processes. */
  const takeOver = (ref: UploadRef) =>
    appends.end(ref.uploadId).pipe(
      Effect.andThen(DateTime.now),
      Effect.flatMap((now) => NotFound.whenNone(uploads.takeOver(ref, now), missing))
    )

  const create = yield* CreateUpload.make(find)

  return ResumableUploads.of({
    create: Effect.fnUntraced(function* (actor, bucket, description, options = {}) {
      return toUpload(yield* create(actor, bucket, description, options))
    }, Traced.inSpan("ResumableUploads.create")),

    get: Effect.fn("ResumableUploads.get")(function* (actor, ref) {
      return toUpload((yield* find(actor, ref)).upload)
    }),

    resume: Effect.fn("ResumableUploads.resume")(function* (actor, ref) {
      const { upload } = yield* find(actor, ref)
      return toUpload(upload.state === "OPEN" ? yield* takeOver(ref) : upload)
    }),

    list: Effect.fn("ResumableUploads.list")(function* (actor, bucket, request = {}) {
      const identity = yield* access.require(actor, bucket, "file:write")
      yield* checkBucketId(bucket)
      yield* NotFound.whenNone(buckets.find({ tenantId: bucket.tenantId, bucketId: bucket.bucketId }), noBucket)
      const folder = folderOf(identity)
      const now = yield* DateTime.now
      const page = yield* Page.listLargeById(request, sizeOf, (slice) => uploads.list({ bucket, now, ...slice }))
      const isVisible = ({ terms }: StoredUpload) =>
        folder === undefined || (terms.description.path ?? "/").startsWith(folder)
      return { ...page, items: page.items.filter(isVisible).map(toUpload) }
    }),

    append: Effect.fnUntraced(function* (actor, ref, content, options) {
      const { rules, upload: found } = yield* find(actor, ref)
      if (found.terms.partials !== undefined) return yield* takesNoBytes
      if (found.state !== "OPEN") return yield* missing
      if (found.mode !== "APPEND") return yield* InvalidRequest.at("", "the upload takes numbered parts")
      const upload = yield* takeOver(ref)
      if (upload.received === 0 && upload.terms.link !== undefined) {
        // The first part may arrive for longer than an upload without bytes stays open.
        const expiresAt = DateTime.addDuration(yield* DateTime.now, settings.uploadExpiry)
        yield* uploads.prolong({ upload: ref, expiresAt })
      }
      const onStored = (stored: StoredUpload) => options.onStored?.(toUpload(stored))
      return toUpload(yield* append(upload, limitOf(upload, rules), content, { ...options, onStored }))
    }, Traced.inSpan("ResumableUploads.append")),

    putPart: Effect.fnUntraced(function* (actor, ref, content, { number, ...options }) {
      const { rules, upload } = yield* findOpen(actor, ref)
      if (upload.mode !== "PARTS") return yield* InvalidRequest.at("", "the upload takes bytes in order, by appends")
      if (!(Number.isInteger(number) && number >= 1 && number <= maxParts)) {
        return yield* InvalidRequest.at("/number", `must be a whole number from 1 to ${maxParts}`)
      }
      const { length } = options
      const guarded = yield* ContentGuard.make(content, { ...limitOf(upload, rules), length })
      const added = yield* storePart(upload, guarded.content, { at: { number }, options, mayBeEmpty: true })
      if (added === undefined) return yield* missing
      return added.part
    }, Traced.inSpan("ResumableUploads.putPart")),

    listParts: Effect.fn("ResumableUploads.listParts")(function* (actor, ref, { after, limit = Page.maxLimit } = {}) {
      const { upload } = yield* findOpen(actor, ref)
      return yield* uploads.listParts({ blobId: upload.blobId, after, limit: Math.min(limit, Page.maxLimit) })
    }),

    complete: Effect.fnUntraced(function* (actor, ref, options = {}) {
      yield* appends.end(ref.uploadId)
      // Another call may complete the upload meanwhile. Then this one finds no open upload, or a file at the place: its own.
      const findDone = Effect.map(Effect.option(find(actor, ref)), (found) =>
        Option.filter(found, ({ upload }) => upload.state === "DONE")
      )
      const completeOrRepeat = Effect.fnUntraced(function* () {
        const found = yield* find(actor, ref)
        return yield* Effect.catch(completeOnce(found, options), (error) =>
          Effect.flatMap(
            findDone,
            Option.match({
              onNone: () => Effect.fail(error),
              onSome: (done) => completeOnce(done, options)
            })
          )
        )
      })
      return yield* Effect.retry(completeOrRepeat(), {
        while: (error) => error._tag === "UploadExpired",
        times: maxAttempts - 1
      })
    }, Traced.inSpan("ResumableUploads.complete")),

    abort: Effect.fn("ResumableUploads.abort")(function* (actor, ref) {
      yield* findOpen(actor, ref)
      yield* uploads.abort(ref)
      yield* appends.end(ref.uploadId)
    })
  })
})

export const layer: Layer.Layer<
  ResumableUploads,
  never,
  | Access
  | BlobRepository
  | BlobStore
  | BucketRepository
  | Digest
  | FileRepository
  | FileWriter
  | SecureRandom
  | UploadRepository
> = Layer.effect(ResumableUploads, make)
